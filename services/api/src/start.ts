import { setTimeout as pause } from 'node:timers/promises';
import { createRefusalRecorder } from '@sluice/intake/refused/recorder.ts';
import { connectStore } from '@sluice/jobs/connect.ts';
import { monitorRedis } from '@sluice/jobs/queue/monitor.ts';
import { createJobQueue, createProducer } from '@sluice/jobs/queue/producer.ts';
import { exportsQueue, invalidationsQueue, jobsQueue, purgesQueue } from '@sluice/jobs/queue/queues.ts';
import { connectRedis, hearChanges } from '@sluice/jobs/queue/redis.ts';
import { createCompiler } from '@sluice/schemas/compile/compiler.ts';
import { createExplainer } from '@sluice/schemas/explain/explainer.ts';
import type { ApiConfig } from '@sluice/shared/config/load.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { createMetrics } from '@sluice/shared/metrics/metrics.ts';
import { serveMonitoring } from '@sluice/shared/metrics/serve.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import { tickEveryMs } from '@sluice/store/alerts/serving.ts';
import { untilPrepared } from '@sluice/store/until-prepared.ts';
import { buildApp } from './app.ts';
import type { Lifecycle } from './dependencies.ts';
import { type ApiTimings, usualTimings } from './dependencies.ts';
import { createApplicationCache } from './known/applications.ts';
import { createFeed } from './known/feed.ts';
import { createCapacities } from './limits/capacity.ts';

interface RunningApi {
  /** Such as `http://127.0.0.1:4000`. */
  url: string;
  /** Answers the requests in flight, then closes everything. */
  stop(): Promise<void>;
}

/** Listens at once, and becomes ready once MongoDB is prepared. Redis may be away. Rejects if the port is taken. */
export async function startApi(
  config: ApiConfig,
  log: Logger,
  capacity = createCapacities(),
  ownTimings: Partial<ApiTimings> = {},
): Promise<RunningApi> {
  const timings = { ...usualTimings, ...ownTimings };
  const lifecycle: Lifecycle = { phase: 'starting' };
  const metrics = createMetrics(config.metrics);
  const store = connectStore(config.mongodb, 'sluice-api', 'impatient', metrics);
  const redis = connectRedis(config.redis, log, 'impatient');
  monitorRedis(redis, metrics);
  const compiler = createCompiler({ capacity: capacity.schemas, metrics });
  const explainer = createExplainer({
    metrics,
    log,
    waitMs: timings.explainWaitMs,
    onDisagreement: (way) => void store.disagreements.note(way).catch(() => undefined),
  });
  const feed = createFeed(store.changes, log);
  const cache = createApplicationCache({ ...store, compiler, explainer, feed, metrics });
  const refusalRecorder = createRefusalRecorder(store, log, metrics);
  let isFirst = true;
  const stopTicking = repeat(tickEveryMs, async () => {
    if (lifecycle.phase !== 'serving') return;
    const missed = (error: Error) => log.debug({ event: 'serving.missed', reason: error.message });
    const ticked = () => {
      isFirst = false;
    };
    await store.serving.tick({ isFirst }).then(ticked, missed);
  });
  const unhear = hearChanges(config.redis, log, cache.forget);
  const jobQueue = (definition: typeof jobsQueue) =>
    createJobQueue(definition, store.jobs, redis, config.redis, log);
  const queues = {
    exports: jobQueue(exportsQueue),
    jobs: jobQueue(jobsQueue),
    purges: createProducer(purgesQueue, redis, config.redis, log),
    invalidations: createProducer(invalidationsQueue, redis, config.redis, log),
  };
  const app = await buildApp({
    config,
    log,
    store,
    compiler,
    explainer,
    feed,
    cache,
    queues,
    redis,
    capacity,
    lifecycle,
    refusalRecorder,
    metrics,
    timings,
  });

  let stopMonitoring = () => {};
  async function close(): Promise<void> {
    stopMonitoring();
    feed.close();
    stopTicking();
    unhear();
    redis.disconnect();
    await refusalRecorder.close();
    await Promise.all([compiler.close(), explainer.close(), store.close()]);
  }

  const stopping = new AbortController();
  async function prepare(): Promise<void> {
    const isPrepared = await untilPrepared(store, log, stopping.signal);
    if (isPrepared && lifecycle.phase === 'starting') lifecycle.phase = 'serving';
  }

  let url: string;
  try {
    stopMonitoring = await serveMonitoring(config.metrics, metrics);
    url = await app.listen({ host: config.host, port: config.port });
  } catch (error) {
    await close();
    throw error;
  }
  const prepared = prepare().catch((error: Error) => {
    log.fatal({ event: 'database.refused' }, error.message);
    process.exit(1);
  });
  log.info({ event: 'api.listening', url });

  return {
    url,
    async stop() {
      lifecycle.phase = 'draining';
      stopping.abort();
      await pause(config.drainDelayMs);
      await app.close();
      await prepared;
      await close();
    },
  };
}
