import type { Logger } from '@sluice/shared/logger.ts';
import type { JobRecord } from '@sluice/store/jobs/job-records.ts';
import type { JobStore } from '@sluice/store/jobs/jobs.ts';
import type { Redis } from 'ioredis';
import { createProducer } from './producer.ts';
import type { JobQueueDefinition } from './queues.ts';
import type { RedisConfig } from './redis.ts';

export type JobQueue = ReturnType<typeof createJobQueue>;

/** Of an owner's jobs that wait; the others are placed when these have begun. */
const placedAtOnce = 10;

/**
 * The sending end of a queue of jobs. An owner's n-th job has priority n, and workers take the lowest number first: so nobody's many
 * jobs hold up another's first, and owners with as much under way alternate.
 */
export function createJobQueue<Payload>(
  definition: JobQueueDefinition<Payload>,
  jobs: JobStore,
  redis: Redis,
  config: RedisConfig,
  log: Logger,
) {
  const { kind, payloadsOf } = definition;
  const producer = createProducer(definition, redis, config, log);

  /** Each payload of a job at a place, with its priority. */
  function prioritised(id: string, place: number): [Payload, number][] {
    const payloads = payloadsOf(id);
    return payloads.map((payload, slot) => [payload, (place - 1) * payloads.length + slot + 1]);
  }

  /** Once its record is in MongoDB; to enqueue it again does nothing. */
  async function enqueue(job: Pick<JobRecord, 'id' | 'owner' | 'queuedAt'>): Promise<void> {
    const place = await jobs.placeOf(kind, job);
    for (const [payload, priority] of prioritised(job.id, place)) await producer.add(payload, priority);
  }

  return {
    definition,
    workers: producer.workers,
    waiting: producer.waiting,
    backlog: producer.backlog,
    enqueue,

    /** Takes a job out of the queue and puts it back; what a worker has now stays there. */
    async requeue(job: Pick<JobRecord, 'id' | 'owner' | 'queuedAt'>): Promise<void> {
      await Promise.all(payloadsOf(job.id).map(producer.remove));
      await enqueue(job);
    },

    /** Enqueues again what has waited for so long that Redis may have lost it. */
    async recover(waitedMs: number): Promise<void> {
      for (const job of await jobs.forgotten(kind, waitedMs)) await enqueue(job);
    },

    /** To be called when less is under way for an owner: the jobs that wait move up. */
    async moveUp(owner: string): Promise<void> {
      try {
        const waiting = await jobs.waitingOf(kind, owner, placedAtOnce);
        const placed = waiting.flatMap(({ id, place }) => prioritised(id, place));
        await Promise.all(placed.map(([payload, priority]) => producer.setPriority(payload, priority)));
      } catch (error) {
        // The next delivery of theirs does it.
        log.debug({ event: 'queue.unmoved', kind, reason: (error as Error).message });
      }
    },
  };
}
