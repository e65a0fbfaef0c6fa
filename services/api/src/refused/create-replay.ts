import { AmendmentProblem, type Amendments, readAmendments } from '@sluice/intake/refusals/amendments.ts';
import { ApiError, unavailable } from '@sluice/shared/errors.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { ReplayJob, ReplayOptions } from '@sluice/store/jobs/job-records.ts';
import type { Dependencies } from '../dependencies.ts';

/** Throws ApiError where an operation is wrong. */
export function toAmendments(options: ReplayOptions): Amendments {
  try {
    return readAmendments(options);
  } catch (error) {
    if (!(error instanceof AmendmentProblem)) throw error;
    const { path, message } = error;
    const details = [{ in: 'body' as const, path, keyword: 'operation', message }];
    throw new ApiError('InvalidRequestError', `body${path} ${message}`, { details });
  }
}

/** Commits a replay to MongoDB, then puts its id on the queue; without the queue there is none. */
export function createReplay({
  store: { jobs, replays },
  queues,
  quotas,
  log,
}: Pick<Dependencies, 'store' | 'queues' | 'quotas' | 'log'>) {
  return async (application: ApplicationRecord, options: ReplayOptions): Promise<ReplayJob> => {
    const { id, domain } = application;
    const owner = application.owner.id;
    await quotas.check('jobs', owner);
    await quotas.checkEntries(owner);
    const total = await replays.count({ application: id, options });
    const fields = { application: id, owner, domain, options };
    const job = await jobs.create<'replay'>({ kind: 'replay', ...fields, total });
    try {
      await queues.replays.enqueue(job);
      return job;
    } catch (error) {
      log.warn({ event: 'replay.refused', job: job.id, reason: (error as Error).message });
      await jobs.cancel(job.id, new Date());
      throw unavailable('uploads cannot be replayed now: the queue is away', 5, error);
    }
  };
}
