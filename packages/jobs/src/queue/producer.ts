import { within } from '@sluice/shared/deadline.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { type JobsOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { JobRecord } from '../record/job-records.ts';
import type { JobStore } from '../record/jobs.ts';
import {
  idOf,
  type JobPayload,
  type JobQueueDefinition,
  type QueueDefinition,
  type QueueKind,
} from './queues.ts';
import { keyPrefix, type RedisConfig } from './redis.ts';

/** Redis keeps nothing of a finished job, so that the same id can be enqueued again. */
const retried: JobsOptions = {
  attempts: 5,
  backoff: { type: 'exponential', delay: 500 },
  removeOnComplete: true,
  removeOnFail: true,
};

interface Backlog {
  jobs: Record<'waiting' | 'active' | 'delayed', number>;
  /** How long the oldest waiting job has waited; 0: no job waits. */
  oldestMs: number;
}

const nextJobs = 100;

/** Opens a queue of BullMQ. The caller closes the connection. */
export function openQueue(name: string, redis: Redis, config: RedisConfig, log: Logger): Queue {
  const queue = new Queue(name, { connection: redis, prefix: keyPrefix(config), skipVersionCheck: true });
  queue.on('error', (error) => log.debug({ event: 'queue.error', queue: name, reason: error.message }));
  return queue;
}

export type Producer<Payload> = ReturnType<typeof createProducer<Payload>>;

/**
 * The sending end of a queue. Calls reject at once while Redis is away, and after REDIS_TIMEOUT without an answer.
 * The caller closes the connection.
 */
export function createProducer<Payload>(
  definition: QueueDefinition<Payload>,
  redis: Redis,
  config: RedisConfig,
  log: Logger,
) {
  const { name } = definition;
  const [first] = definition.kinds as [QueueKind];
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
    // A job that ended meanwhile is undefined.
    const ages = next.filter(Boolean).map((job) => now - (job.processedOn ?? job.timestamp));
    return { jobs: { waiting: waiting + prioritized, active, delayed }, oldestMs: Math.max(0, ...ages) };
  }

  return {
    definition,

    /** Delivers at least once. */
    async add(payload: Payload, { kind = first, priority = 0 } = {}): Promise<void> {
      await ask(() => queue.add(kind, payload, { ...retried, jobId: idOf(kind, payload), priority }));
    },

    /** False: a worker has the job now. */
    async remove(payload: Payload, kind = first): Promise<boolean> {
      const id = idOf(kind, payload);
      return ask(async () => (await queue.remove(id)) === 1 || (await queue.getJob(id)) === undefined);
    },

    /** Puts the job after the jobs with the same priority. Ignores an unknown job. */
    setPriority: (
      payload: Payload,
      { kind, priority }: { kind: QueueKind; priority: number },
    ): Promise<void> =>
      ask(async () => {
        const job = await queue.getJob(idOf(kind, payload));
        await job?.changePriority({ priority });
      }),

    workers: (): Promise<number> => ask(() => queue.getWorkersCount()),

    /** Number of jobs that a free worker could take now. */
    waiting: (): Promise<number> => ask(() => queue.getJobCountByTypes('waiting', 'prioritized')),

    backlog: (): Promise<Backlog> => ask(backlog),
  };
}

export type JobQueue = ReturnType<typeof createJobQueue>;

type Queued = Pick<JobRecord, 'id' | 'kind' | 'owner' | 'queuedAt'>;

/** How many waiting jobs of an owner `moveUp` places. The others follow later. */
const placedAtOnce = 10;

/**
 * The sending end of a queue of jobs. An owner's n-th job of a kind has priority n, and the lowest number comes first.
 * So an owner's many jobs do not delay another owner's first job.
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

  /** Call when the record is in MongoDB. A second call does nothing. */
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

    /** Removes a job from the queue and adds it again, unless a worker has the job. */
    async requeue(job: Queued): Promise<void> {
      await Promise.all(payloadsOf(job).map((payload) => producer.remove(payload, job.kind)));
      await enqueue(job);
    },

    /** Whether a job waits whose owner has fewer running jobs than this owner. */
    isOutweighed: (owner: string): Promise<boolean> => jobs.isOutweighed(kinds, owner),

    /** Enqueues the jobs again that have waited longer than `waitedMs`: Redis may have lost them. */
    async enqueueForgotten(waitedMs: number): Promise<void> {
      for (const job of await jobs.forgotten(kinds, waitedMs)) await enqueue(job);
    },

    /** Call when a job ended or was handed back: the owner's waiting jobs of that kind move up. */
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
