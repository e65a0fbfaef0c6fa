import { queueOf } from '@sluice/jobs/queue/queues.ts';
import { isRetriable, type JobRecord } from '@sluice/jobs/record/job-records.ts';
import { waitAgain } from '@sluice/jobs/record/wait-again.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import type { Dependencies } from '../dependencies.ts';
import { jobNotFound } from './find-job.ts';

/** Lets a failed job wait again, to go on behind what is committed. Throws ApiError when it has not failed, or too many are unfinished. */
export function createRetryJob({
  store,
  queues,
  quotas,
  log,
}: Pick<Dependencies, 'store' | 'queues' | 'quotas' | 'log'>) {
  return async (job: JobRecord): Promise<JobRecord> => {
    if (!isRetriable(job)) throw notFailed(job);
    await quotas.check('jobs', job.owner);
    const retried = await waitAgain(store, job);
    if (!retried) {
      const now = await store.jobs.get(job.id);
      throw now ? notFailed(now) : jobNotFound(job.kind, job.id);
    }
    log.info({ event: `${job.kind}.retried`, job: job.id, done: retried.done });
    // The job is committed: what the queue misses now a sweep puts there.
    await queues[queueOf(job.kind).name]
      .enqueue(retried)
      .catch((error) => log.warn({ event: 'queue.missed', job: job.id, reason: error.message }));
    return retried;
  };
}

function notFailed(job: JobRecord): ApiError {
  const message =
    job.state === 'failed'
      ? 'it was streamed to a client that is gone; ask for another export'
      : `it is ${job.state}, and only a failed one can be retried`;
  return new ApiError('ResourceConflictError', `${job.kind} ${job.id} cannot be retried: ${message}`);
}
