import type { WorkerConfig } from '@sluice/shared/config/load.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { createMetrics, type Metrics, type MetricsConfig } from '@sluice/shared/metrics/metrics.ts';
import { serveMonitoring } from '@sluice/shared/metrics/serve.ts';
import { repeat } from '@sluice/shared/repeat.ts';
import { untilPrepared } from '@sluice/store/until-prepared.ts';
import { connectStore } from './connect.ts';
import type { JobKind } from './kind.ts';
import { type Consumer, consume, type Handlers } from './queue/consumer.ts';
import { countRequeues, createJobMetrics, monitorQueues, monitorRedis } from './queue/monitor.ts';
import { createJobQueue, type Producer } from './queue/producer.ts';
import type { JobQueueDefinition, Timings } from './queue/queues.ts';
import { connectRedis, type RedisConfig } from './queue/redis.ts';
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

  // biome-ignore lint/suspicious/noExplicitAny: each kind has records of its own
  const handlerOf = (kind: JobKind<any>) =>
    createRun(
      { store, queue, retentionMs, timings, metrics: createJobMetrics(kind.kind, metrics), log },
      kind,
    );
  const jobsTask = (...kinds: JobKind<JobRecord>[]): Task => ({
    queue,
    handlers: Object.fromEntries(kinds.map((kind) => [kind.kind, handlerOf(kind)])),
    async recover() {
      await store.jobs.unlockAll();
      await queue.enqueueForgotten(timings.forgottenMs);
    },
  });
  return { metrics, store, redis, queue, handlerOf, jobsTask };
}

/** Number of checks before a worker without jobs counts as unresponsive. */
const looks = 6;

interface Task {
  // biome-ignore lint/suspicious/noExplicitAny: each queue has a payload of its own
  queue: Pick<Producer<any>, 'definition' | 'waiting' | 'backlog'>;
  // biome-ignore lint/suspicious/noExplicitAny: the same as that of the queue
  handlers: Handlers<any>;
  /** Absent: the concurrency of the process. */
  concurrency?: number;
  /** Frees what dead workers had, and enqueues jobs again that Redis may have lost. */
  recover?(): Promise<void>;
}

interface Options {
  config: { redis: RedisConfig; concurrency: number; metrics: MetricsConfig };
  timings: Timings;
  log: Logger;
  metrics: Metrics;
  tasks: Task[];
  /** Removes old data; called regularly. */
  clean?(): Promise<void>;
  /** Called last when the worker stops. */
  close(): Promise<void>;
}

export interface RunningWorker {
  /** Hands back running jobs and closes all connections. */
  stop(): Promise<void>;
}

/** Ends the process when jobs wait but the consumer gets none. */
function watchConsumer(consumer: Consumer, { queue }: Task, { unresponsiveMs }: Timings, log: Logger) {
  let missed = 0;
  let seen = consumer.activity().lastAt;
  return repeat(unresponsiveMs / looks, async () => {
    const waiting = await queue.waiting().catch(() => 0);
    const { active, lastAt } = consumer.activity();
    missed = waiting > 0 && active === 0 && lastAt === seen ? missed + 1 : 0;
    seen = lastAt;
    if (missed < looks) return;
    log.fatal(
      { event: 'worker.unresponsive', queue: consumer.name },
      'jobs wait but none arrives: ending, to be restarted',
    );
    process.exit(1);
  });
}

/** Runs a worker process: a consumer for each task, and one regular sweep. */
export async function startWorker({
  config,
  timings,
  log,
  metrics,
  tasks,
  clean,
  close,
}: Options): Promise<RunningWorker> {
  const stopMonitoring = await serveMonitoring(config.metrics, metrics);
  const running = tasks.map((task) => {
    const { definition } = task.queue;
    const onRequeue = countRequeues(definition, metrics);
    const { redis, concurrency } = { ...config, ...task };
    const consumer = consume(definition, task.handlers, { redis, concurrency, timings, log, onRequeue });
    return { queue: task.queue, consumer, stopWatching: watchConsumer(consumer, task, timings, log) };
  });
  monitorQueues(running, metrics);

  async function sweep(): Promise<void> {
    for (const task of tasks) await task.recover?.();
    await clean?.();
  }
  const stopSweeping = repeat(timings.sweepMs, () =>
    sweep().catch((error) => log.debug({ event: 'sweep.missed', reason: error.message })),
  );

  return {
    async stop() {
      stopSweeping();
      for (const { stopWatching } of running) stopWatching();
      await Promise.all(running.map(({ consumer }) => consumer.close()));
      stopMonitoring();
      await close();
    },
  };
}
