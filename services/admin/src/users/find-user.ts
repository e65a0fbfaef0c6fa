import type { Store } from '@sluice/jobs/connect.ts';
import type { UserRecord } from '@sluice/store/accounts/users.ts';
import { AdminError } from '../admin-error.ts';

export async function findUser({ users }: Pick<Store, 'users'>, username: string): Promise<UserRecord> {
  const found = await users.byName(username);
  if (!found) throw new AdminError(`user ${username} was not found; \`sluice-admin users list\` lists them`);
  return found;
}
