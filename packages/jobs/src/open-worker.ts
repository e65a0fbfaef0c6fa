import type { WorkerConfig } from '@sluice/shared/config/load.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { createMetrics } from '@sluice/shared/metrics/metrics.ts';
import { untilPrepared } from '@sluice/store/until-prepared.ts';
import { connectStore } from './connect.ts';
import type { JobKind } from './kind.ts';
import { createJobMetrics, monitorRedis } from './queue/monitor.ts';
import { createJobQueue } from './queue/producer.ts';
import type { JobQueueDefinition, Timings } from './queue/queues.ts';
import { connectRedis } from './queue/redis.ts';
import type { Task } from './queue/worker.ts';
import type { JobRecord } from './record/job-records.ts';
import { createRun } from './run.ts';

/** Opens the connections of a worker, and waits for the database. `jobsTask` makes a task of kinds. */
export async function openWorker(
  appName: string,
  definition: JobQueueDefinition,
  config: WorkerConfig,
  timings: Timings,
  log: Logger,
) {
  const { retentionMs } = config;
  const metrics = createMetrics(config.metrics);
  const store = connectStore(config.mongodb, appName, 'patient', metrics);
  const redis = connectRedis(config.redis, log, 'impatient');
  monitorRedis(redis, metrics);
  const queue = createJobQueue(definition, store.jobs, redis, config.redis, log);
  await untilPrepared(store, log);

  const handlerOf = (kind: JobKind<JobRecord>) =>
    createRun(
      { store, queue, retentionMs, timings, metrics: createJobMetrics(kind.kind, metrics), log },
      kind,
    );
  const jobsTask = (...kinds: JobKind<JobRecord>[]): Task => ({
    queue,
    handlers: Object.fromEntries(kinds.map((kind) => [kind.kind, handlerOf(kind)])),
    recover: () => queue.recover(timings.forgottenMs),
  });
  return { metrics, store, redis, jobsTask };
}
