import type { LeaseTimings } from '@sluice/store/under-lease.ts';
import type { JobRecord } from '../record/job-records.ts';

type JobKind = JobRecord['kind'];

/** The name of a job in a queue. */
export type QueueKind = JobKind | 'purge' | 'invalidation';

/** The contract of both ends of a queue. Payloads carry only ids. */
export interface QueueDefinition<_Payload> {
  name: string;
  kinds: readonly QueueKind[];
}

/** The same job has the same id: added twice, it is delivered once. BullMQ forbids `:`. */
export const idOf = (kind: QueueKind, payload: unknown): string =>
  [kind, ...Object.values(payload as object)].join('-');

export const kindOf = (id: string): QueueKind => id.slice(0, id.indexOf('-')) as QueueKind;

/** A job with a record in MongoDB. `slot` numbers the workers that may do the job at once. */
export interface JobPayload {
  jobId: string;
  slot: number;
}

/** A queue of jobs with a record in MongoDB. */
export interface JobQueueDefinition extends QueueDefinition<JobPayload> {
  name: 'exports' | 'jobs';
  kinds: readonly JobKind[];
  /** How many workers may work on a job of a kind at once. */
  slots: Partial<Record<JobKind, number>>;
}

/** What writes or reads files of entries; taken by export workers. */
export const exportsQueue: JobQueueDefinition = {
  name: 'exports',
  kinds: ['export', 'archive', 'verification', 'erasure'],
  slots: {},
};

/** All other jobs, for ingest workers. One queue gives workers one concurrency and owners one order. */
export const jobsQueue: JobQueueDefinition = {
  name: 'jobs',
  kinds: ['import', 'rehearsal', 'replay', 'deletion', 'unique'],
  slots: { import: 4, rehearsal: 4 },
};

export const queueOf = (kind: JobKind): JobQueueDefinition =>
  exportsQueue.kinds.includes(kind) ? exportsQueue : jobsQueue;

/** Deleted applications whose data ingest workers remove. */
export const purgesQueue: QueueDefinition<{ applicationId: string }> = {
  name: 'purges',
  kinds: ['purge'],
};

/** Changed applications. An ingest worker tells all schema caches to drop them. */
export const invalidationsQueue: QueueDefinition<{ applicationId: string }> = {
  name: 'invalidations',
  kinds: ['invalidation'],
};

// biome-ignore lint/suspicious/noExplicitAny: each queue has a payload of its own
export const allQueues: QueueDefinition<any>[] = [exportsQueue, jobsQueue, purgesQueue, invalidationsQueue];

/** In ms. */
export interface Timings extends LeaseTimings {
  /** A job returns to the queue if its worker is silent in Redis for 1 to 1.5 times this time. */
  lockMs: number;
  sweepMs: number;
  /** How often a long job looks for waiting owners. */
  turnMs: number;
  /** After this time without a lease, Redis may have lost the job. */
  forgottenMs: number;
  /** A worker that gets no job for this time while jobs wait ends, to be restarted. */
  unresponsiveMs: number;
  /** How late an upload may arrive after a deletion: caches are old, and uploads wait. */
  lateUploadMs: number;
  /** The first wait after a webhook could not be delivered. */
  webhookRetryMs: number;
  /** How often alerts and mails that are due are taken. */
  alertsMs: number;
  /** How often it is looked whether sources are silent. */
  silenceMs: number;
  /** The first wait after a mail could not be sent. */
  mailRetryMs: number;
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
  webhookRetryMs: 5_000,
  alertsMs: 2_000,
  silenceMs: 30_000,
  mailRetryMs: 30_000,
};
