import { ApiError } from '@sluice/shared/errors.ts';
import { isRetriable, type JobRecord } from '@sluice/store/jobs/job-records.ts';
import type { Dependencies } from '../dependencies.ts';
import { jobNotFound } from './find-job.ts';

/** Lets a failed job wait again, to go on behind what is committed. Throws ApiError when it has not failed, or too many are unfinished. */
export function createRetryJob({
  store: { jobs, parts, chunks },
  queues,
  quotas,
  log,
}: Pick<Dependencies, 'store' | 'queues' | 'quotas' | 'log'>) {
  async function waitAgain(job: JobRecord): Promise<JobRecord | undefined> {
    if (job.kind === 'import') {
      await chunks.reopen(job.id);
      return jobs.retry(job, await chunks.totals(job.id));
    }
    const written = await jobs.partsOf(job.id);
    const isWhole = await parts.haveAll(written.map(({ id }) => id));
    return jobs.retry(job, isWhole ? 'as it stands' : 'without parts');
  }

  return async (job: JobRecord): Promise<JobRecord> => {
    if (!isRetriable(job)) throw notFailed(job);
    await quotas.check('jobs', job.owner);
    const retried = await waitAgain(job);
    if (!retried) {
      const now = await jobs.get(job.id);
      throw now ? notFailed(now) : jobNotFound(job.kind, job.id);
    }
    log.info({ event: `${job.kind}.retried`, job: job.id, done: retried.done });
    // The job is committed: what the queue misses now a sweep puts there.
    await queues[`${job.kind}s`]
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
