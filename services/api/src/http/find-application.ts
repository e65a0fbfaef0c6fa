import { ApiError, applicationNotFound } from '@sluice/shared/errors.ts';
import type { UserRecord } from '@sluice/store/accounts/users.ts';
import { type Role, roleOf, roles } from '@sluice/store/applications/application-document.ts';
import type { ApplicationRecord, ApplicationStore } from '@sluice/store/applications/applications.ts';
import type { FastifyRequest } from 'fastify';

export type OfApplication = Pick<
  FastifyRequest<{ Params: { domain: string } }>,
  'params' | 'owner' | 'routeOptions'
>;

const named: Record<Role, string> = { reader: 'a reader', editor: 'an editor', owner: 'the owner' };

/** Throws ApiError if the user of a request has a lower role. */
export function requireRole(application: ApplicationRecord, user: UserRecord, role: Role): void {
  const own = roleOf(application, user.id);
  if (!own) throw applicationNotFound(application.domain);
  if (roles.indexOf(own) < roles.indexOf(role))
    throw new ApiError(
      'ForbiddenRequestError',
      `you are ${named[own]} of ${application.domain}; this needs ${named[role]}`,
    );
}

/**
 * The application of a request, if its user has the role that the route needs. Throws the same ApiError for an application of
 * others as for none.
 */
export async function findApplication(
  applications: Pick<ApplicationStore, 'byDomain'>,
  { params: { domain }, owner, routeOptions }: OfApplication,
): Promise<ApplicationRecord> {
  const found = await applications.byDomain(domain);
  if (!found) throw applicationNotFound(domain);
  requireRole(found, owner, routeOptions.config.role ?? 'owner');
  return found;
}
