import { within } from '@sluice/shared/deadline.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { type JobsOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { JobRecord } from '../record/job-records.ts';
import type { JobStore } from '../record/jobs.ts';
import { idOf, type JobPayload, type JobQueueDefinition, type Kind, type QueueDefinition } from './queues.ts';
import { keyPrefix, type RedisConfig } from './redis.ts';

/** Records live in MongoDB: Redis keeps nothing of a finished job, so that it can be put back by its id. */
const retried: JobsOptions = {
  attempts: 5,
  backoff: { type: 'exponential', delay: 500 },
  removeOnComplete: true,
  removeOnFail: true,
};

/** What is in a queue now. */
interface Backlog {
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

export type JobQueue = ReturnType<typeof createJobQueue>;

type Queued = Pick<JobRecord, 'id' | 'kind' | 'owner' | 'queuedAt'>;

/** Of an owner's jobs that wait; the others are placed when these have begun. */
const placedAtOnce = 10;

/**
 * The sending end of a queue of jobs. An owner's n-th job of a kind has priority n, and workers take the lowest first.
 *
 * So an owner's many jobs do not delay the first job of another owner.
 */
export function createJobQueue(
  definition: JobQueueDefinition,
  jobs: JobStore,
  redis: Redis,
  config: RedisConfig,
  log: Logger,
) {
  const { kinds, slots } = definition;
  const mostSlots = Math.max(1, ...Object.values(slots));
  const producer = createProducer(definition, redis, config, log);

  const payloadsOf = ({ id, kind }: Pick<JobRecord, 'id' | 'kind'>): JobPayload[] =>
    Array.from({ length: slots[kind] ?? 1 }, (_, slot) => ({ jobId: id, slot }));
  const priorityOf = (place: number, { slot }: JobPayload) => (place - 1) * mostSlots + slot + 1;

  /** Once its record is in MongoDB; to enqueue it again does nothing. */
  async function enqueue(job: Queued): Promise<void> {
    const place = await jobs.placeOf(job);
    for (const payload of payloadsOf(job))
      await producer.add(payload, { kind: job.kind, priority: priorityOf(place, payload) });
  }

  return {
    definition,
    workers: producer.workers,
    waiting: producer.waiting,
    backlog: producer.backlog,
    enqueue,

    /** Takes a job out of the queue and puts it back; what a worker has now stays there. */
    async requeue(job: Queued): Promise<void> {
      await Promise.all(payloadsOf(job).map((payload) => producer.remove(payload, job.kind)));
      await enqueue(job);
    },

    /** Whether a job waits of an owner for whom less is under way than for this one. */
    isOutweighed: (owner: string): Promise<boolean> => jobs.isOutweighed(kinds, owner),

    /** Enqueues again the jobs that have waited longer than `waitedMs`: Redis may have lost them. */
    async recover(waitedMs: number): Promise<void> {
      for (const job of await jobs.forgotten(kinds, waitedMs)) await enqueue(job);
    },

    /** Call when a job of an owner ended or was handed back: the owner's waiting jobs of that kind move up. */
    async moveUp({ kind, owner }: Pick<JobRecord, 'kind' | 'owner'>): Promise<void> {
      try {
        const waiting = await jobs.waitingOf({ kind, owner }, placedAtOnce);
        const placed = waiting.flatMap(({ id, place }) =>
          payloadsOf({ id, kind }).map((payload) =>
            producer.setPriority(payload, { kind, priority: priorityOf(place, payload) }),
          ),
        );
        await Promise.all(placed);
      } catch (error) {
        // The owner's next delivery moves them up.
        log.debug({ event: 'queue.unmoved', kind, reason: (error as Error).message });
      }
    },
  };
}
