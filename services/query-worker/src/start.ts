import { rm } from 'node:fs/promises';
import { connectStore } from '@sluice/jobs/connect.ts';
import { monitorRedis } from '@sluice/jobs/queue/monitor.ts';
import { createJobQueue } from '@sluice/jobs/queue/producer.ts';
import { exportsQueue } from '@sluice/jobs/queue/queues.ts';
import { connectRedis } from '@sluice/jobs/queue/redis.ts';
import { createStartRun } from '@sluice/jobs/start-archives.ts';
import { openArchiveFolder } from '@sluice/objects/open-store.ts';
import type { QueryWorkerConfig } from '@sluice/shared/config/load.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { createMetrics } from '@sluice/shared/metrics/metrics.ts';
import { serveMonitoring } from '@sluice/shared/metrics/serve.ts';
import { untilPrepared } from '@sluice/store/until-prepared.ts';
import { createCopies } from './copies.ts';
import { createProcesses } from './processes.ts';
import { createQueue } from './queue.ts';
import { recordQuestions } from './record-questions.ts';
import { createSegments } from './segments.ts';
import { createServer } from './server.ts';
import { openTemporaryFolder } from './temporary-folder.ts';

/** This service answers questions over all entries of an application. */
export async function startQueryWorker(
  config: QueryWorkerConfig,
  log: Logger,
): Promise<{ port: number; stop(): Promise<void> }> {
  const metrics = createMetrics(config.metrics);
  const store = connectStore(config.mongodb, 'sluice-query-worker', 'patient', metrics);
  const redis = connectRedis(config.redis, log, 'impatient');
  monitorRedis(redis, metrics);
  await untilPrepared(store, log);
  const startRun = createStartRun(store, createJobQueue(exportsQueue, store.jobs, redis, config.redis, log));
  const folder = await openTemporaryFolder();
  const { archiveFolder, copiesBytes: mostBytes } = config;
  const bucket = typeof archiveFolder === 'string' ? undefined : openArchiveFolder(archiveFolder);
  const copies = bucket && createCopies({ objects: bucket, folder, mostBytes });
  const cleaning = setInterval(() => copies?.removeIdle(), 60_000);
  const processes = createProcesses(folder);
  const queue = createQueue();
  metrics.gauge('sluice_questions_waiting', () => [{ value: queue.waiting(), labels: {} }]);
  const segments = createSegments({ store, startRun, folder: copies ?? (archiveFolder as string) });
  const server = createServer({
    processes,
    segments,
    store,
    queue,
    recordQuestion: recordQuestions(metrics, log),
    secrets: config.secrets,
  });
  await server.listen({ host: config.host, port: config.port });
  const stopMonitoring = await serveMonitoring(config.metrics, metrics);
  const { port } = server.server.address() as { port: number };
  return {
    port,
    /** Answers the questions that it has; the process ends by SHUTDOWN_TIMEOUT, and theirs with it. */
    async stop() {
      await server.close();
      processes.close();
      clearInterval(cleaning);
      bucket?.close();
      stopMonitoring();
      redis.disconnect();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
