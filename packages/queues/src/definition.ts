import type { JobRecord } from '@sluice/store/jobs/job-records.ts';
import type { JobsOptions } from 'bullmq';

/** What both ends of a queue must agree on. Payloads carry ids only. */
export interface QueueDefinition<Payload> {
  name: string;
  options: JobsOptions;
  /** The same payload gives the same id, so that adding it twice delivers it once. No `:` in it. */
  idOf(payload: Payload): string;
}

/** A queue of jobs that have a record in MongoDB. */
export interface JobQueueDefinition<Payload> extends QueueDefinition<Payload> {
  kind: JobRecord['kind'];
  /** One for each worker that may work on the job at once. */
  payloadsOf(jobId: string): Payload[];
}

/** Records live in MongoDB: Redis keeps nothing of a finished job, so that it can be put back by its id. */
export const retried: JobsOptions = {
  attempts: 5,
  backoff: { type: 'exponential', delay: 500 },
  removeOnComplete: true,
  removeOnFail: true,
};
