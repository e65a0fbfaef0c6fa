import { startIngestWorker } from '@sluice/ingest-worker/start.ts';
import { loadIngestWorkerConfig } from '@sluice/shared/config/load.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { expect, it, onTestFinished } from 'vitest';
import { importClient } from '../support/import-client.ts';
import { ownDatabase } from '../support/own-database.ts';
import { quickTimings } from '../support/quick-timings.ts';
import { startSluice } from '../support/sluice.ts';
import { ndjson } from '../support/upload-client.ts';

/** Of eight chunks. */
const many = ndjson(Array.from({ length: 40_000 }, (_, n) => ({ n })));
/** Of two. */
const few = ndjson(Array.from({ length: 10_000 }, (_, n) => ({ n })));

it.each([2])(
  "one owner's many imports do not come before another's first, with a worker that does %i chunks at once",
  async (concurrency) => {
    const { url: MONGODB_URL } = await ownDatabase();
    const sluice = await startSluice({ workers: false, env: { MONGODB_URL } });
    onTestFinished(sluice.stop);
    const [busy, modest] = await Promise.all(
      [1, 2].map(async () => {
        const { token } = await sluice.owner();
        return { token, client: importClient(sluice, token), domain: await sluice.application(token) };
      }),
    );
    if (!busy || !modest) throw new Error('two owners');
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push((await busy.client.start(busy.domain, many)).body.data.id);
    const first: string = (await modest.client.start(modest.domain, few)).body.data.id;

    const log = createLogger('test', { level: process.env.TEST_LOG ?? 'silent', pretty: false });
    const env = { ...sluice.env, WORKER_CONCURRENCY: String(concurrency) };
    const worker = await startIngestWorker(loadIngestWorkerConfig(env), log, quickTimings);
    onTestFinished(worker.stop);
    const ended = await modest.client.ended(modest.domain, first);
    expect(ended).toMatchObject({ state: 'completed', accepted: 10_000 });
    const others = await Promise.all(ids.map((id) => busy.client.ended(busy.domain, id)));
    expect(others.map(({ state }) => state)).toEqual(ids.map(() => 'completed'));
    const before = others.filter(({ finishedAt }) => finishedAt < ended.finishedAt);
    expect(before).toEqual([]);
  },
  120_000,
);
