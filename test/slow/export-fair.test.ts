import { startExportWorker } from '@sluice/export-worker/start.ts';
import { loadExportWorkerConfig } from '@sluice/shared/config/load.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { expect, it, onTestFinished } from 'vitest';
import { deliver, exportableApplication, fill, recordExport } from '../support/export-client.ts';
import { openStore, ownDatabase } from '../support/own-database.ts';
import { quickTimings } from '../support/quick-timings.ts';
import { startSluice, until } from '../support/sluice.ts';

const many = Number(process.env.EXPORTS ?? 50);
const entries = Number(process.env.ENTRIES ?? 500);

it.each([1])(
  "one owner's many exports do not come before another's first, with a worker that makes %i at once",
  async (concurrency) => {
    const { url: MONGODB_URL } = await ownDatabase();
    const sluice = await startSluice({ workers: false, env: { MONGODB_URL } });
    onTestFinished(sluice.stop);
    const store = openStore(MONGODB_URL);
    const [busy, modest] = await Promise.all(
      [1, 2].map(async () => {
        const application = await exportableApplication(sluice, store, (await sluice.owner()).token);
        await fill(store, application.id, entries);
        return application;
      }),
    );
    if (!busy || !modest) throw new Error('two owners');
    for (let i = 0; i < many; i++) await deliver(sluice.env, store, await recordExport(store, busy));
    const first = await recordExport(store, modest);
    await deliver(sluice.env, store, first);

    const log = createLogger('test', { level: process.env.TEST_LOG ?? 'silent', pretty: false });
    const env = { ...sluice.env, WORKER_CONCURRENCY: String(concurrency) };
    const worker = await startExportWorker(loadExportWorkerConfig(env), log, quickTimings);
    onTestFinished(worker.stop);
    const ofBusy = () => store.jobs.list(busy.id, 'export');
    await until(async () => (await store.jobs.get(first.id))?.state === 'completed');
    await until(async () => (await ofBusy()).every(({ state }) => state === 'completed'));

    const finishedAt = (await store.jobs.get(first.id))?.finishedAt as Date;
    const before = (await ofBusy()).filter((job) => (job.finishedAt as Date) <= finishedAt);
    // Those that were under way before it was its turn, and those that another slot made beside it.
    expect(before.length).toBeLessThanOrEqual(2 * concurrency);
  },
  150_000,
);
