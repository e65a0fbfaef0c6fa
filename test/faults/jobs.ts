import { quotas } from '@sluice/api/limits/table.ts';
import { expect } from 'vitest';
import { createClient } from '../compose/client.ts';
import { until } from '../compose/stack.ts';

const entries = 100;
const lines = Array.from({ length: 500 }, (_, n) => `{"n":${n - 1_000}}\n`).join('');
const ndjson = { 'content-type': 'application/x-ndjson' };

/** Exports that were answered 503; each may exist or not. */
const unknown = 100;

export const isOver = (job: { state: string }) => !['waiting', 'active'].includes(job.state);

/** An owner who asks for exports and imports meanwhile, in an application of their own. */
export async function createAsker(url: string) {
  const client = await createClient(url);
  for (let n = 0; n < entries; n++) expect((await client.upload(n)).status).toBe(201);
  const accepted: string[] = [];

  async function post(path: string, content: unknown, headers?: Record<string, string>): Promise<void> {
    const { status, body } = await client.call('POST', path, content, headers);
    expect([202, 503]).toContain(status);
    if (status === 202) accepted.push(`${path}/${body.data.id}`);
  }

  async function expectCompleted(path: string): Promise<void> {
    const job = async () => (await client.call('GET', path)).body?.data;
    await until(`${path} is over`, async () => isOver((await job()) ?? { state: 'waiting' }), 180_000);
    expect(await job()).toMatchObject({ state: 'completed' });
  }

  return {
    /** Asks for an import, and for an export while there may be more; each is accepted, or refused with a 503. */
    async ask(): Promise<void> {
      const exports = accepted.filter((path) => path.includes('/exports/')).length;
      if (exports < quotas.storedExports.limit - unknown) await post(`${client.path}/exports`, {});
      await post(`${client.path}/imports`, lines, ndjson);
    },

    /** Resolves with how many jobs were accepted, once all are completed and each line of the imports is stored once. */
    async expectDone(): Promise<number> {
      for (const path of accepted) await expectCompleted(path);
      const imports = accepted.filter((path) => path.includes('/imports/')).length;
      const counts = Map.groupBy(await client.listed(), (n) => n);
      for (const [n, found] of counts) expect([n, found.length]).toEqual([n, n < 0 ? imports : 1]);
      expect(counts.size).toBe(entries + (imports > 0 ? 500 : 0));
      return accepted.length;
    },
  };
}
