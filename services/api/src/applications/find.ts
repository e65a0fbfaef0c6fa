import { applicationNotFound } from '@sluice/shared/errors.ts';
import type { ApplicationRecord, ApplicationStore } from '@sluice/store/applications/applications.ts';
import type { FastifyRequest } from 'fastify';

/** The owner's own application. Anyone else's gets the same 404 as one that does not exist. */
export async function findApplication(
  applications: Pick<ApplicationStore, 'ofOwner'>,
  { params: { domain }, owner }: Pick<FastifyRequest<{ Params: { domain: string } }>, 'params' | 'owner'>,
): Promise<ApplicationRecord> {
  const found = await applications.ofOwner(domain, owner.id);
  if (!found) throw applicationNotFound(domain);
  return found;
}
