import type { Store } from '@sluice/jobs/connect.ts';
import type { ApplicationRecord } from '@sluice/store/applications/applications.ts';
import { AdminError } from '../admin-error.ts';

export async function findApplication(
  { applications }: Pick<Store, 'applications'>,
  domain: string,
): Promise<ApplicationRecord> {
  const found = await applications.byDomain(domain);
  if (!found)
    throw new AdminError(
      `application ${domain} was not found; \`sluice-admin applications list\` lists them`,
    );
  return found;
}
