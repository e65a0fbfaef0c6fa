import type { ExportWorkerConfig } from '@sluice/shared/config/load.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { exportsQueue } from '@sluice/shared/queues/exports.ts';
import { createProducer } from '@sluice/shared/queues/producer.ts';
import { connectRedis } from '@sluice/shared/queues/redis.ts';
import { type RunningWorker, startWorker } from '@sluice/shared/queues/worker.ts';
import { connectStore } from '@sluice/shared/store/connect.ts';
import { createMakeExports } from './export/make-exports.ts';
import { createSweep } from './sweep.ts';

/** What this service does: the queue it takes from, the handler, and the sweep behind it. */
export function startExportWorker(config: ExportWorkerConfig, log: Logger): Promise<RunningWorker> {
  const store = connectStore(config.mongodb, 'sluice-export-worker', 'patient');
  const redis = connectRedis(config.redis, log, 'impatient');
  const queue = createProducer(exportsQueue, redis, config.redis, log);
  return startWorker({
    config,
    log,
    tasks: [{ definition: exportsQueue, handler: createMakeExports({ store, ...config, log }), queue }],
    sweep: createSweep({ store, queue, log }),
    release: async () => {
      redis.disconnect();
      await store.close();
    },
  });
}
