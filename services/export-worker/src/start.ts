import { connectStore } from '@sluice/jobs/connect.ts';
import { createJobMetrics } from '@sluice/jobs/queue/job-metrics.ts';
import { createJobQueue } from '@sluice/jobs/queue/job-queue.ts';
import { monitorRedis } from '@sluice/jobs/queue/monitor.ts';
import { exportsQueue } from '@sluice/jobs/queue/queues.ts';
import { connectRedis } from '@sluice/jobs/queue/redis.ts';
import { timings as usual } from '@sluice/jobs/queue/timings.ts';
import { type RunningWorker, startWorker } from '@sluice/jobs/queue/worker.ts';
import { createRun } from '@sluice/jobs/run.ts';
import type { ExportWorkerConfig } from '@sluice/shared/config/load.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { createMetrics } from '@sluice/shared/metrics/metrics.ts';
import { untilPrepared } from '@sluice/store/until-prepared.ts';
import { createClean } from './clean.ts';
import { exportKind } from './export/export-kind.ts';

/** What this service does: the queue it takes from, its handler, and what becomes of jobs that Redis forgot. */
export async function startExportWorker(
  config: ExportWorkerConfig,
  log: Logger,
  timings = usual,
): Promise<RunningWorker> {
  const { retentionMs } = config;
  const metrics = createMetrics(config.metrics);
  const store = connectStore(config.mongodb, 'sluice-export-worker', 'patient', metrics);
  const redis = connectRedis(config.redis, log, 'impatient');
  monitorRedis(redis, metrics);
  const queue = createJobQueue(exportsQueue, store.jobs, redis, config.redis, log);
  await untilPrepared(store, log);
  return startWorker({
    config,
    timings,
    log,
    metrics,
    tasks: [
      {
        queue,
        handlers: {
          export: createRun(
            { store, queue, retentionMs, timings, metrics: createJobMetrics('export', metrics), log },
            exportKind({ store, retentionMs, leaseMs: timings.leaseMs, log }),
          ),
        },
        recover: () => queue.recover(timings.forgottenMs),
      },
    ],
    clean: createClean({ store, log }),
    close: async () => {
      redis.disconnect();
      await store.close();
    },
  });
}
