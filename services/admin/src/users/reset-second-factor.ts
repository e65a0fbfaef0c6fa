import { AdminError } from '../admin-error.ts';
import { createNote } from '../audit.ts';
import type { Opened } from '../with-store.ts';
import { findUser } from './find-user.ts';

export async function resetSecondFactor(
  [store, config, { console }]: Opened,
  username: string,
): Promise<void> {
  const user = await findUser(store, username);
  if (!(await store.users.removeSecondFactor(user.id)))
    throw new AdminError(`user ${username} has no second factor`);
  await createNote(store, config)(user, { action: 'second-factor.reset' });
  console.error(
    `the second factor of ${user.username} is off; the password alone is enough at the next login`,
  );
}
