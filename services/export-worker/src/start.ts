import { createClean } from '@sluice/jobs/clean.ts';
import { exportsQueue, timings as usual } from '@sluice/jobs/queue/queues.ts';
import { openWorker, type RunningWorker, startWorker } from '@sluice/jobs/worker.ts';
import type { WorkerConfig } from '@sluice/shared/config/load.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { exportKind } from './export/export-kind.ts';

/** This service makes exports. */
export async function startExportWorker(
  config: WorkerConfig,
  log: Logger,
  timings = usual,
): Promise<RunningWorker> {
  const { retentionMs } = config;
  const { metrics, store, redis, jobsTask } = await openWorker(
    'sluice-export-worker',
    exportsQueue,
    config,
    timings,
    log,
  );
  return startWorker({
    config,
    timings,
    log,
    metrics,
    tasks: [jobsTask(exportKind({ store, retentionMs, leaseMs: timings.leaseMs, log }))],
    clean: createClean(store, log),
    close: async () => {
      redis.disconnect();
      await store.close();
    },
  });
}
