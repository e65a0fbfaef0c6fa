import { ApiError, applicationNotFound } from '@sluice/shared/errors.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { Store } from '@sluice/store/connect.ts';
import type { JobRecord } from '@sluice/store/jobs/job-records.ts';

export const jobNotFound = (kind: JobRecord['kind'], id: string) =>
  new ApiError('ResourceNotFoundError', `${kind} ${id.slice(0, 40)} was not found`);

/** Finds what is the owner's own, or throws the 404 that anyone else's gets too. */
export function createFind({ applications, jobs }: Pick<Store, 'applications' | 'jobs'>) {
  async function application(domain: string, ownerId: string): Promise<ApplicationRecord> {
    const found = await applications.ofOwner(domain, ownerId);
    if (!found) throw applicationNotFound(domain);
    return found;
  }

  return {
    application,

    async job(
      kind: JobRecord['kind'],
      { domain, id }: { domain: string; id: string },
      ownerId: string,
    ): Promise<{ application: ApplicationRecord; job: JobRecord }> {
      const owned = await application(domain, ownerId);
      const job = await jobs.get(id);
      if (job?.application !== owned.id || job.kind !== kind) {
        throw jobNotFound(kind, id);
      }
      return { application: owned, job };
    },
  };
}
