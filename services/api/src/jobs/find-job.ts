import type { Store } from '@sluice/jobs/connect.ts';
import type { JobRecord } from '@sluice/jobs/record/job-records.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import type { FastifyRequest } from 'fastify';
import { findApplication } from '../applications/find.ts';

export const jobNotFound = (kind: JobRecord['kind'], id: string) =>
  new ApiError('ResourceNotFoundError', `${kind} ${id.slice(0, 40)} was not found`);

/** A job of the owner's own application, or the 404 that anyone else's gets too. */
export async function findJob(
  { applications, jobs }: Pick<Store, 'applications' | 'jobs'>,
  kind: JobRecord['kind'],
  request: Pick<FastifyRequest<{ Params: { domain: string; id: string } }>, 'params' | 'owner'>,
): Promise<{ application: ApplicationRecord; job: JobRecord }> {
  const { id } = request.params;
  const application = await findApplication(applications, request);
  const job = await jobs.get(id);
  if (job?.application !== application.id || job.kind !== kind) throw jobNotFound(kind, id);
  return { application, job };
}
