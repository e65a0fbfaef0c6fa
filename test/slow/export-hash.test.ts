import { startExportWorker } from '@sluice/export-worker/start.ts';
import { loadExportWorkerConfig } from '@sluice/shared/config/load.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createCuttableProxy } from '../support/cuttable-proxy.ts';
import {
  expectSwept,
  exportableApplication,
  exportClient,
  fileOf,
  fill,
  sha256,
} from '../support/export-client.ts';
import { openStore, ownDatabase, throughProxy } from '../support/own-database.ts';
import { quickTimings } from '../support/quick-timings.ts';
import { startSluice, until } from '../support/sluice.ts';

/** An export worker whose way to MongoDB can be cut. */
async function createCuttableWorker(env: Record<string, string>) {
  const { hostname, port } = new URL(inject('mongodbUrl'));
  const proxy = await createCuttableProxy({ host: hostname, port: Number(port || 27017) });
  onTestFinished(proxy.close);
  const MONGODB_URL = throughProxy(env.MONGODB_URL as string, proxy);
  return {
    proxy,
    async start(): Promise<void> {
      const log = createLogger('test', { level: process.env.TEST_LOG ?? 'silent', pretty: false });
      // It hands a job back when it waited so long in vain.
      const own = { MONGODB_URL, MONGODB_TIMEOUT: '6s', WORKER_CONCURRENCY: '1' };
      const config = loadExportWorkerConfig({ ...env, ...own });
      const worker = await startExportWorker(config, log, quickTimings);
      onTestFinished(worker.stop);
    },
  };
}

it('the hash of a file is that of its bytes, also when a worker comes back to a job that another went on with', async () => {
  const { db, url: MONGODB_URL } = await ownDatabase();
  const sluice = await startSluice({ workers: false, env: { MONGODB_URL } });
  onTestFinished(sluice.stop);
  const store = openStore(MONGODB_URL);
  const { token } = await sluice.owner();
  const { domain, id: application } = await exportableApplication(sluice, store, token);
  await fill(store, application, 3_000, 5_000);
  const client = exportClient(sluice.url, token);
  const one = await createCuttableWorker(sluice.env);
  const other = await createCuttableWorker(sluice.env);
  const parts = async (id: string) => (await store.jobs.partsOf(id)).length;

  // The first has written two parts, of which one was committed, when it loses MongoDB.
  const lost = one.proxy.cutWhenSent('$push', 1);
  await one.start();
  const id = await client.create(domain);
  await until(async () => lost.left === 0);
  expect(await parts(id)).toBe(1);
  // Another writes the second part its own way, longer, and is lost too.
  const lostToo = other.proxy.cutWhenSent('$push', 1);
  await other.start();
  await until(async () => lostToo.left === 0);
  expect(await parts(id)).toBe(2);
  await one.proxy.restore();
  await until(async () => (await parts(id)) > 2);

  const job = await client.over(domain, id);
  expect([job.state, job.file.rows]).toEqual(['completed', 3_000]);
  await expectSwept(db, store, id);
  expect(job.file.sha256).toBe(sha256(await fileOf(store, id)));
}, 120_000);
