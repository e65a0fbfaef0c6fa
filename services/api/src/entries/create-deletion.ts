import type { DeletionJob, DeletionOptions } from '@sluice/jobs/record/job-records.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { Dependencies } from '../dependencies.ts';
import { enqueueOrCancel } from '../jobs/enqueue.ts';

/** Commits a deletion to MongoDB, then puts its id on the queue; without the queue there is none. */
export function createDeletion(dependencies: Pick<Dependencies, 'store' | 'queues' | 'quotas' | 'log'>) {
  const { store, quotas } = dependencies;
  return async (application: ApplicationRecord, options: DeletionOptions): Promise<DeletionJob> => {
    const owner = application.owner.id;
    await quotas.check('jobs', owner);
    const { id, domain } = application;
    const fields = { application: id, owner, domain, options };
    const job = await store.jobs.create<'deletion'>({ kind: 'deletion', ...fields });
    return enqueueOrCancel(dependencies, job, 'entries cannot be deleted');
  };
}
