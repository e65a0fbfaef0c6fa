import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { startSluice, until } from '../support/sluice.ts';

const sluice = await startSluice({ env: { OUTBOUND_ALLOW: '127.0.0.1' } });
afterAll(() => sluice.stop());

const folder = join(import.meta.dirname, '../../examples/webhooks');

/** A receiver of the examples; `lines` is what it prints. */
async function start(program: string, file: string, secret: string) {
  const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: '0' };
  const child = spawn(program, [join(folder, file)], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  await until(async () => lines.length > 0);
  const port = lines[0]?.match(/\d+$/)?.[0];
  return { url: `http://127.0.0.1:${port}/`, lines };
}

it.each([
  [process.execPath, 'receiver.mjs'],
  ['python3', 'receiver.py'],
])('%s %s takes what Sluice signed, and nothing else', async (program, file) => {
  const { token } = await sluice.owner();
  const path = `/applications/${await sluice.application(token)}`;
  const send = (method: string, where: string, json?: unknown) =>
    sluice.request(method, `${path}${where}`, { token, ...(json !== undefined && { json }) });
  // Its address is known only once it has the secret.
  const fields = { url: 'https://example.com/', events: ['entries.stored', 'export.completed'] };
  const { id, secret } = (await send('POST', '/webhooks', fields)).body.data;
  const { url, lines } = await start(program, file, secret);
  await send('PATCH', `/webhooks/${id}`, { url });

  await send('POST', '/data/batch', [{ n: 1 }, { n: 2 }]);
  await until(async () => lines.includes('entries.stored 2 entries'));
  await send('POST', '/exports', {});
  await until(async () => lines.some((line) => line.startsWith('export.completed {')));

  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(Math.floor(Date.now() / 1_000)) };
  const forged = { 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` };
  for (const more of [{}, forged]) {
    const response = await fetch(url, { method: 'POST', headers: { ...headers, ...more }, body: '{}' });
    expect(response.status).toBe(401);
  }
});
