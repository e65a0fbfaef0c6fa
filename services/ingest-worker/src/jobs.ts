import type { IngestWorkerConfig } from '@sluice/shared/config/load.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { importsQueue } from '@sluice/shared/queues/imports.ts';
import { invalidationsQueue } from '@sluice/shared/queues/invalidations.ts';
import { createProducer } from '@sluice/shared/queues/producer.ts';
import { purgesQueue } from '@sluice/shared/queues/purges.ts';
import { connectRedis } from '@sluice/shared/queues/redis.ts';
import { type RunningWorker, startWorker } from '@sluice/shared/queues/worker.ts';
import { createCompiler } from '@sluice/shared/schemas/compiler.ts';
import { connectStore } from '@sluice/shared/store/connect.ts';
import { createImportChunks } from './import/import-chunks.ts';
import { createSweepImports } from './import/sweep-imports.ts';
import { createInvalidate } from './invalidate/invalidate.ts';
import { createPurge } from './purge/purge.ts';
import { startSettling } from './settle/start.ts';
import { createSweep } from './sweep.ts';

/** An insert is sent twice, and each time has its steps; then some for its waiting and the age of the caches. */
const graceMs = (timeoutMs: number) => 3 * timeoutMs + 10_000;

/** What this service does: the queues it takes from, their handlers, the sweep behind them, and the settling beside them. */
export function startIngestWorker(config: IngestWorkerConfig, log: Logger): Promise<RunningWorker> {
  const store = connectStore(config.mongodb, 'sluice-ingest-worker', 'patient');
  const redis = connectRedis(config.redis, log, 'impatient');
  const purges = createProducer(purgesQueue, redis, config.redis, log);
  const invalidations = createProducer(invalidationsQueue, redis, config.redis, log);
  const purge = createPurge({ store, graceMs: graceMs(config.mongodb.timeoutMs), log });
  const imports = createProducer(importsQueue, redis, config.redis, log);
  const compiler = createCompiler({ log });
  const importing = createImportChunks({ store, compiler, retentionMs: config.retentionMs, log });
  const sweepPurges = createSweep(store.applications, purges);
  const sweepImports = createSweepImports({ store, queue: imports, log });
  const stopSettling = startSettling(store, log, store.chunks.openSince);
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
      { definition: importsQueue, handler: importing, queue: imports },
    ],
    sweep: async () => {
      await sweepPurges();
      await sweepImports();
    },
    release: async () => {
      stopSettling();
      redis.disconnect();
      await Promise.all([compiler.close(), store.close()]);
    },
  });
}
