import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const script = join(import.meta.dirname, '../../scripts/audit.ts');
const endpoint = '/-/npm/v1/security/advisories/bulk';

/** Runs the script with a registry that answers questions about vulnerabilities so, and knows nothing else. */
async function auditWith(status: number, answer: object) {
  const asked: unknown[] = [];
  const listener: RequestListener = async (request, response) => {
    const chunks = await request.toArray();
    if (request.url !== endpoint) return response.writeHead(404).end();
    asked.push(JSON.parse(Buffer.concat(chunks).toString()));
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  };
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { ...process.env, PNPM_CONFIG_REGISTRY: registry, PNPM_CONFIG_FETCH_RETRIES: '0' };
  const child = execFile(process.execPath, [script], { env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  return { code, output, asked };
}

const advisory = (severity: string) => ({
  fastify: [
    {
      id: 1,
      url: 'https://example.com/advisory',
      title: 'A flaw',
      severity,
      vulnerable_versions: '<99.0.0',
      cwe: [],
      cvss: { score: 9, vectorString: null },
    },
  ],
});

it('passes where nothing is known of the packages of production, and of those alone', async () => {
  const { code, output, asked } = await auditWith(200, {});
  expect([code, output]).toEqual([0, expect.stringContaining('knows no vulnerability')]);
  expect(asked).toEqual([
    expect.objectContaining({ fastify: [expect.any(String)], mongodb: [expect.any(String)] }),
  ]);
  expect(asked[0]).not.toHaveProperty('vitest');
});

it('fails for a vulnerability of level high, and names it', async () => {
  const { code, output } = await auditWith(200, advisory('high'));
  expect([code, output]).toEqual([
    1,
    `error: fastify has a vulnerability of level high: A flaw (https://example.com/advisory)\n`,
  ]);
});

it('passes below that level', async () => {
  const { code, output } = await auditWith(200, advisory('moderate'));
  expect([code, output]).toEqual([0, expect.stringContaining('knows no vulnerability of level high')]);
});

it.each([404, 503])('says that nothing was audited where the registry answers %s', async (status) => {
  const { code, output } = await auditWith(status, {});
  expect([code, output]).toEqual([0, expect.stringMatching(/^NOTICE: nothing was audited/)]);
});
