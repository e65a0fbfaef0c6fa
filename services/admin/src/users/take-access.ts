import type { Store } from '@sluice/jobs/connect.ts';
import { AdminError } from '../admin-error.ts';
import { createNote } from '../audit.ts';
import type { Opened } from '../with-store.ts';
import { findUser } from './find-user.ts';

export async function disableUser([store, config, { console }]: Opened, username: string): Promise<void> {
  const user = await findUser(store, username);
  if (!(await store.users.disable(user.id))) throw new AdminError(`user ${username} is disabled already`);
  await createNote(store, config)(user, { action: 'user.disabled' });
  console.error(`user ${username} was disabled; it is in force within a second`);
}

export async function enableUser([store, config, { console }]: Opened, username: string): Promise<void> {
  const user = await findUser(store, username);
  if (!(await store.users.enable(user.id))) throw new AdminError(`user ${username} is not disabled`);
  await store.webhooks.wakeOf(await store.applications.idsOfOwner(user.id));
  await createNote(store, config)(user, { action: 'user.enabled' });
  console.error(`user ${username} was enabled; earlier tokens stay invalid`);
}

/** Disables the user first, so that no request creates another application. It can be run again after a crash. */
export async function deleteUser(
  [store, config, { console }]: Opened,
  username: string,
  { withApplications }: { withApplications?: boolean },
): Promise<void> {
  const note = createNote(store, config);
  const user = await findUser(store, username);
  const count = (await store.applications.idsOfOwner(user.id)).length;
  if (count > 0 && !withApplications)
    throw new AdminError(
      `user ${username} still owns applications (${count}): transfer them, or delete them with --with-applications`,
    );
  await store.users.disable(user.id);
  const removed = await removeApplications(store, user.id);
  for (const domain of removed) await note(user, { action: 'application.deleted', application: domain });
  await store.applications.removeFromAll(user.id);
  await store.personalTokens.removeAll(user.id);
  await store.alerts.removeOf(user.id);
  await store.savedViews.removeOf(user.id);
  await store.addresses.remove(user.id);
  await store.users.remove(user.id);
  await note(user, { action: 'user.deleted' });
  console.error(`user ${username} was deleted; applications deleted too: ${removed.length}`);
}

/** Deletes all applications, including those deleted before, so that workers purge them. Returns the domains. */
async function removeApplications({ applications }: Store, ownerId: string): Promise<string[]> {
  const removed: string[] = [];
  for (const { domain } of await applications.byIds(await applications.idsOfOwner(ownerId)))
    if (await applications.remove(domain, ownerId, 0)) removed.push(domain);
  await applications.forgetRestorable(ownerId);
  return removed;
}
