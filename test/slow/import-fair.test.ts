import { startIngestWorker } from '@sluice/ingest-worker/start.ts';
import { loadIngestWorkerConfig } from '@sluice/shared/config/load.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { expect, it, onTestFinished } from 'vitest';
import { importClient } from '../support/import-client.ts';
import { ownDatabase } from '../support/own-database.ts';
import { quickTimings } from '../support/quick-timings.ts';
import { startSluice } from '../support/sluice.ts';
import { ndjson } from '../support/upload-client.ts';

/** Of four chunks. */
const many = ndjson(Array.from({ length: 20_000 }, (_, n) => ({ n })));
/** Of two. */
const few = ndjson(Array.from({ length: 10_000 }, (_, n) => ({ n })));

/** Two owners with an application each, while no worker runs. */
async function start() {
  const { url: MONGODB_URL } = await ownDatabase();
  const sluice = await startSluice({ workers: false, env: { MONGODB_URL } });
  onTestFinished(sluice.stop);
  const [one, other] = await Promise.all([owner(), owner()]);

  async function owner() {
    const { token } = await sluice.owner();
    const client = importClient(sluice, token);
    const domain = await sluice.application(token);
    return {
      import: async (text: string): Promise<string> => (await client.start(domain, text)).body.data.id,
      ended: (id: string) => client.ended(domain, id),
    };
  }

  async function startWorker(concurrency: number): Promise<void> {
    const log = createLogger('test', { level: process.env.TEST_LOG ?? 'silent', pretty: false });
    const env = { ...sluice.env, WORKER_CONCURRENCY: String(concurrency) };
    const worker = await startIngestWorker(loadIngestWorkerConfig(env), log, quickTimings);
    onTestFinished(worker.stop);
  }
  return { one, other, startWorker };
}

it("one owner's many imports do not come before another's first, with a worker that does 2 chunks at once", async () => {
  const { one: busy, other: modest, startWorker } = await start();
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) ids.push(await busy.import(many));
  const first = await modest.import(few);
  await startWorker(2);
  const ended = await modest.ended(first);
  expect(ended).toMatchObject({ state: 'completed', accepted: 10_000 });
  const others = await Promise.all(ids.map(busy.ended));
  expect(others.map(({ state }) => state)).toEqual(ids.map(() => 'completed'));
  const before = others.filter(({ finishedAt }) => finishedAt < ended.finishedAt);
  expect(before).toEqual([]);
}, 120_000);

it('an import ends with its last chunk, before the import of another owner begins', async () => {
  const { one, other, startWorker } = await start();
  const ids = [await one.import(ndjson([{ n: 1 }])), await other.import(many)] as const;
  await startWorker(1);
  const [first, next] = [await one.ended(ids[0]), await other.ended(ids[1])];
  expect([first.state, next.state]).toEqual(['completed', 'completed']);
  expect(Date.parse(next.startedAt)).toBeGreaterThanOrEqual(Date.parse(first.finishedAt));
});
