import type { Logger } from '@sluice/shared/logger.ts';
import type { Redis } from 'ioredis';
import type { JobRecord } from '../record/job-records.ts';
import type { JobStore } from '../record/jobs.ts';
import { createProducer } from './producer.ts';
import type { JobPayload, JobQueueDefinition } from './queues.ts';
import type { RedisConfig } from './redis.ts';

export type JobQueue = ReturnType<typeof createJobQueue>;

type Queued = Pick<JobRecord, 'id' | 'kind' | 'owner' | 'queuedAt'>;

/** Of an owner's jobs that wait; the others are placed when these have begun. */
const placedAtOnce = 10;

/**
 * The sending end of a queue of jobs. An owner's n-th job of a kind has priority n, and workers take the lowest number first: so nobody's many
 * jobs hold up another's first, and owners with as much under way alternate.
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
