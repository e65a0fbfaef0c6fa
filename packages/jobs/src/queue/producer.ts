import { within } from '@sluice/shared/deadline.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { type JobsOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { idOf, type Kind, type QueueDefinition } from './queues.ts';
import { keyPrefix, type RedisConfig } from './redis.ts';

/** Records live in MongoDB: Redis keeps nothing of a finished job, so that it can be put back by its id. */
const retried: JobsOptions = {
  attempts: 5,
  backoff: { type: 'exponential', delay: 500 },
  removeOnComplete: true,
  removeOnFail: true,
};

/** What is in a queue now. */
export interface Backlog {
  jobs: Record<'waiting' | 'active' | 'delayed', number>;
  /** How long the oldest of the next jobs has waited since it was added, or last given back; 0 when none waits. */
  oldestMs: number;
}

const nextJobs = 100;

/** A queue as BullMQ has it. The connection stays the caller's to close. */
export function openQueue(name: string, redis: Redis, config: RedisConfig, log: Logger): Queue {
  const queue = new Queue(name, { connection: redis, prefix: keyPrefix(config), skipVersionCheck: true });
  queue.on('error', (error) => log.debug({ event: 'queue.error', queue: name, reason: error.message }));
  return queue;
}

export type Producer<Payload> = ReturnType<typeof createProducer<Payload>>;

/**
 * The sending end of a queue. All reject at once while Redis is away, after REDIS_TIMEOUT when it does not answer. The connection stays
 * the caller's to close.
 */
export function createProducer<Payload>(
  definition: QueueDefinition<Payload>,
  redis: Redis,
  config: RedisConfig,
  log: Logger,
) {
  const { name } = definition;
  const [first] = definition.kinds as [Kind];
  const queue = openQueue(name, redis, config, log);

  function ask<T>(command: () => Promise<T>): Promise<T> {
    if (redis.status !== 'ready') return Promise.reject(new Error('Redis is away'));
    return within(config.timeoutMs, 'Redis does not answer', command());
  }

  async function backlog(): Promise<Backlog> {
    const [counts, next] = await Promise.all([
      queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed'),
      queue.getJobs(['waiting', 'prioritized'], 0, nextJobs - 1, true),
    ]);
    const { waiting = 0, prioritized = 0, active = 0, delayed = 0 } = counts;
    const now = Date.now();
    // A job that ends meanwhile is missing from the list.
    const ages = next.filter(Boolean).map((job) => now - (job.processedOn ?? job.timestamp));
    return { jobs: { waiting: waiting + prioritized, active, delayed }, oldestMs: Math.max(0, ...ages) };
  }

  return {
    definition,

    /** Delivers at least once. */
    async add(payload: Payload, { kind = first, priority = 0 } = {}): Promise<void> {
      await ask(() => queue.add(kind, payload, { ...retried, jobId: idOf(kind, payload), priority }));
    },

    /** False where a worker has it now. */
    async remove(payload: Payload, kind = first): Promise<boolean> {
      const id = idOf(kind, payload);
      return ask(async () => (await queue.remove(id)) === 1 || (await queue.getJob(id)) === undefined);
    },

    /** Does nothing where the queue does not know it. Behind what has that priority already. */
    setPriority: (payload: Payload, { kind, priority }: { kind: Kind; priority: number }): Promise<void> =>
      ask(async () => {
        const job = await queue.getJob(idOf(kind, payload));
        await job?.changePriority({ priority });
      }),

    /** Workers that are connected to this queue now. */
    workers: (): Promise<number> => ask(() => queue.getWorkersCount()),

    /** Jobs that a free worker would get now. */
    waiting: (): Promise<number> => ask(() => queue.getJobCountByTypes('waiting', 'prioritized')),

    backlog: (): Promise<Backlog> => ask(backlog),
  };
}
