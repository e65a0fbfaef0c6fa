import { startExportWorker } from '@sluice/export-worker/start.ts';
import { startIngestWorker } from '@sluice/ingest-worker/start.ts';
import { timings as usual } from '@sluice/jobs/queue/queues.ts';
import { connectRedis } from '@sluice/jobs/queue/redis.ts';
import { loadExportWorkerConfig, loadIngestWorkerConfig } from '@sluice/shared/config/load.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { expect, it, onTestFinished } from 'vitest';
import { exportClient } from '../support/export-client.ts';
import { importClient } from '../support/import-client.ts';
import { ownDatabase } from '../support/own-database.ts';
import { startSluice, until } from '../support/sluice.ts';
import { ndjson, uploadClient } from '../support/upload-client.ts';

const timings = { ...usual, sweepMs: 500, forgottenMs: 1_000 };
const lines = 60_000;

it('when Redis loses everything, jobs that wait and jobs under way are completed, each line stored once', async () => {
  const { url: MONGODB_URL } = await ownDatabase();
  const sluice = await startSluice({ workers: false, env: { MONGODB_URL } });
  onTestFinished(sluice.stop);
  const log = createLogger('test', { level: process.env.TEST_LOG ?? 'silent', pretty: false });
  const { REDIS_URL: url = '', REDIS_PREFIX: prefix = '' } = sluice.env;
  const redis = connectRedis({ url }, log, 'patient');
  onTestFinished(() => redis.disconnect());
  const empty = async () => void (await redis.unlink(...(await redis.keys(`{${prefix}}:*`))));

  const { token } = await sluice.owner();
  const domain = await sluice.application(token);
  const [imports, exports] = [importClient(sluice, token), exportClient(sluice.url, token)];
  const body = ndjson(Array.from({ length: lines }, (_, n) => ({ n })));
  const importing: string = (await imports.start(domain, body)).body.data.id;
  const waiting = [await exports.create(domain), await exports.create(domain)];
  // Nobody works yet: all that the queues know is gone.
  await empty();

  const ingest = await startIngestWorker(loadIngestWorkerConfig(sluice.env), log, timings);
  onTestFinished(ingest.stop);
  await until(async () => ((await imports.store.jobs.get(importing))?.done ?? 0) > 0);
  await empty();
  const exporter = await startExportWorker(loadExportWorkerConfig(sluice.env), log, timings);
  onTestFinished(exporter.stop);

  expect(await imports.ended(domain, importing)).toMatchObject({ state: 'completed', accepted: lines });
  for (const id of waiting) expect((await exports.over(domain, id)).state).toBe('completed');
  expect(await uploadClient(sluice, token).count(domain)).toBe(lines);
}, 120_000);
