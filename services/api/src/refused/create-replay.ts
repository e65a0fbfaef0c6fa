import { AmendmentProblem, type Amendments, readAmendments } from '@sluice/intake/refused/amendments.ts';
import type { ReplayJob, ReplayOptions } from '@sluice/jobs/record/job-records.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { Dependencies } from '../dependencies.ts';
import { enqueueOrCancel } from '../jobs/enqueue.ts';

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
export function createReplay(dependencies: Pick<Dependencies, 'store' | 'queues' | 'quotas' | 'log'>) {
  const { store, quotas } = dependencies;
  const { jobs, replays } = store;
  return async (application: ApplicationRecord, options: ReplayOptions): Promise<ReplayJob> => {
    const { id, domain } = application;
    const owner = application.owner.id;
    await quotas.check('jobs', owner);
    await quotas.checkEntries(owner);
    const total = await replays.count({ application: id, options });
    const fields = { application: id, owner, domain, options };
    const job = await jobs.create<'replay'>({ kind: 'replay', ...fields, total });
    return enqueueOrCancel(dependencies, job, 'uploads cannot be replayed');
  };
}
