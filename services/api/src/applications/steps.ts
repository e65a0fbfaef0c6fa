import { applicationNotFound } from '@sluice/shared/errors.ts';
import type { ApplicationRecord, ApplicationStore } from '@sluice/store/applications/applications.ts';
import type { FastifyRequest } from 'fastify';
import type { Dependencies } from '../dependencies.ts';

/** The owner's application. Throws the same ApiError for an application of another owner as for none. */
export async function findApplication(
  applications: Pick<ApplicationStore, 'ofOwner'>,
  { params: { domain }, owner }: Pick<FastifyRequest<{ Params: { domain: string } }>, 'params' | 'owner'>,
): Promise<ApplicationRecord> {
  const found = await applications.ofOwner(domain, owner.id);
  if (!found) throw applicationNotFound(domain);
  return found;
}

/** Tells other processes of a change at once. Without the queues they find it in MongoDB. */
export async function announce(
  { cache, queues, log }: Pick<Dependencies, 'cache' | 'queues' | 'log'>,
  applicationId: string,
  to: ('invalidations' | 'purges')[],
): Promise<void> {
  cache.drop(applicationId);
  const adding = to.map((name) => queues[name].add({ applicationId }));
  for (const result of await Promise.allSettled(adding))
    if (result.status === 'rejected')
      log.warn({ event: 'queue.missed', application: applicationId, reason: result.reason.message });
}
