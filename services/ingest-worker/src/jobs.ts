import type { IngestWorkerConfig } from '@sluice/shared/config/load.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { invalidationsQueue } from '@sluice/shared/queues/invalidations.ts';
import { createProducer } from '@sluice/shared/queues/producer.ts';
import { purgesQueue } from '@sluice/shared/queues/purges.ts';
import { connectRedis } from '@sluice/shared/queues/redis.ts';
import { type RunningWorker, startWorker } from '@sluice/shared/queues/worker.ts';
import { connectStore } from '@sluice/shared/store/connect.ts';
import { createInvalidate } from './invalidate/invalidate.ts';
import { createPurge } from './purge/purge.ts';
import { createSweep } from './sweep.ts';

/** An insert is sent twice, and each time has its steps; then some for its waiting and the age of the caches. */
const graceMs = (timeoutMs: number) => 3 * timeoutMs + 10_000;

/** What this service does: the queues it takes from, their handlers, and the sweep behind them. */
export function startIngestWorker(config: IngestWorkerConfig, log: Logger): Promise<RunningWorker> {
  const store = connectStore(config.mongodb, 'sluice-ingest-worker', 'patient');
  const redis = connectRedis(config.redis, log, 'impatient');
  const purges = createProducer(purgesQueue, redis, config.redis, log);
  const invalidations = createProducer(invalidationsQueue, redis, config.redis, log);
  const purge = createPurge({ store, graceMs: graceMs(config.mongodb.timeoutMs), log });
  return startWorker({
    config,
    log,
    tasks: [
      {
        definition: invalidationsQueue,
        handler: createInvalidate(redis, config.redis),
        queue: invalidations,
      },
      { definition: purgesQueue, handler: purge, queue: purges },
    ],
    sweep: createSweep(store.applications, purges),
    release: async () => {
      redis.disconnect();
      await store.close();
    },
  });
}
