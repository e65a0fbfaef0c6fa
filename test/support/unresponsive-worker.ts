import { createProducer } from '@sluice/jobs/queue/producer.ts';
import { exportsQueue, timings } from '@sluice/jobs/queue/queues.ts';
import { connectRedis } from '@sluice/jobs/queue/redis.ts';
import { startWorker } from '@sluice/jobs/worker.ts';
import { createLogger } from '@sluice/shared/logger.ts';
import { createMetrics } from '@sluice/shared/metrics/metrics.ts';

/**
 * A worker process that soon finds itself unresponsive: it takes jobs from the Redis at REDIS_URL,
 * but looks for waiting jobs at WATCH_URL.
 */
const { REDIS_URL = '', WATCH_URL = '', REDIS_PREFIX: prefix = '' } = process.env;
const timeoutMs = 30_000;
const log = createLogger('test', { level: 'info', pretty: false });
const redis = connectRedis({ url: WATCH_URL }, log, 'impatient');
const noMetrics = { port: 0, token: undefined };
await startWorker({
  config: {
    redis: { url: REDIS_URL, prefix, timeoutMs },
    concurrency: 1,
    metrics: noMetrics,
  },
  metrics: createMetrics(noMetrics),
  log,
  tasks: [
    {
      handlers: {
        async export({ jobId }) {
          log.info({ event: 'took', job: jobId });
          // Longer than the silence after which a worker is unresponsive.
          if (jobId === '1') await new Promise((resolve) => setTimeout(resolve, 6_000));
          log.info({ event: 'did', job: jobId });
        },
      },
      queue: createProducer(exportsQueue, redis, { url: WATCH_URL, prefix, timeoutMs }, log),
    },
  ],
  close: async () => redis.disconnect(),
  timings: { ...timings, unresponsiveMs: 5_000 },
});
log.info({ event: 'started' });
