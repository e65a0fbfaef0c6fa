import type { LeaseTimings } from '@sluice/store/under-lease.ts';
import type { JobRecord } from '../record/job-records.ts';

type JobKind = JobRecord['kind'];

/** What one job of a queue is called. */
export type Kind = JobKind | 'purge' | 'invalidation';

/** What both ends of a queue must agree on. Payloads carry ids only. */
export interface QueueDefinition<_Payload> {
  name: string;
  kinds: readonly Kind[];
}

/** The same job gives the same id, so that adding it twice delivers it once. BullMQ takes no `:` in it. */
export const idOf = (kind: Kind, payload: unknown): string =>
  [kind, ...Object.values(payload as object)].join('-');

export const kindOf = (id: string): Kind => id.slice(0, id.indexOf('-')) as Kind;

/** A job that has a record in MongoDB. `slot`: which of the workers that may work on it at once. */
export interface JobPayload {
  jobId: string;
  slot: number;
}

/** A queue of jobs that have a record in MongoDB. */
export interface JobQueueDefinition extends QueueDefinition<JobPayload> {
  name: 'exports' | 'jobs';
  kinds: readonly JobKind[];
  /** How many workers may work on a job of a kind at once. */
  slots: Partial<Record<JobKind, number>>;
}

/** Exports to be written; taken by export workers. */
export const exportsQueue: JobQueueDefinition = { name: 'exports', kinds: ['export'], slots: {} };

/** All other jobs; taken by ingest workers. One queue, so that a worker has one concurrency, and owners one order. */
export const jobsQueue: JobQueueDefinition = {
  name: 'jobs',
  kinds: ['import', 'rehearsal', 'replay', 'deletion'],
  slots: { import: 4, rehearsal: 4 },
};

export const queueOf = (kind: JobKind): JobQueueDefinition => (kind === 'export' ? exportsQueue : jobsQueue);

/** A deleted application whose entries, jobs and files shall go; taken by ingest workers. */
export const purgesQueue: QueueDefinition<{ applicationId: string }> = {
  name: 'purges',
  kinds: ['purge'],
};

/** An application that schema caches must drop; an ingest worker takes it and broadcasts. */
export const invalidationsQueue: QueueDefinition<{ applicationId: string }> = {
  name: 'invalidations',
  kinds: ['invalidation'],
};

// biome-ignore lint/suspicious/noExplicitAny: each queue has a payload of its own
export const allQueues: QueueDefinition<any>[] = [exportsQueue, jobsQueue, purgesQueue, invalidationsQueue];

/** In ms. */
export interface Timings extends LeaseTimings {
  /** A job goes back to the queue when its worker did not speak to Redis for so long, or half as long again. */
  lockMs: number;
  sweepMs: number;
  /** A long job looks so often whether other owners wait. */
  turnMs: number;
  /** A job without a lease that was enqueued so long ago may be one that Redis forgot. */
  forgottenMs: number;
  /** A worker that gets no job for so long while some wait ends, to be restarted. */
  unresponsiveMs: number;
  /** After its application is deleted an upload is let in for so long at most: by the age of the caches, and its waiting. */
  lateUploadMs: number;
}

export const timings: Timings = {
  leaseMs: 10_000,
  heartbeatMs: 500,
  lockMs: 10_000,
  sweepMs: 5_000,
  turnMs: 2_000,
  forgottenMs: 6_000,
  unresponsiveMs: 60_000,
  lateUploadMs: 10_000,
};
