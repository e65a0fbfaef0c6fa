import { parseDuration } from '@sluice/shared/config/kinds.ts';
import { isUsername } from '@sluice/shared/credentials.ts';
import type { UserRecord } from '@sluice/store/accounts/users.ts';
import bcrypt from 'bcrypt';
import { AdminError } from '../admin-error.ts';
import { createNote } from '../audit.ts';
import { readPassword } from '../read-password.ts';
import { findUser, type Opened } from './find-user.ts';

export async function createUser(opened: Opened, username: string): Promise<void> {
  const [store, config] = opened;
  checkUsername(username);
  const passwordHash = await bcrypt.hash(await readPassword(), config.bcryptCost);
  const user = await add(opened, { username, passwordHash });
  await createNote(store, config)(user, { action: 'user.created' });
  console.error(`user ${username} was created`);
}

export async function inviteUser(opened: Opened, username: string, expires: string): Promise<void> {
  const [store, config] = opened;
  checkUsername(username);
  const lifeMs = toLife(expires);
  const user = await add(opened, { username });
  await createNote(store, config)(user, { action: 'user.invited' });
  await printCode(opened, user, lifeMs);
}

export async function resetPassword(opened: Opened, username: string, expires: string): Promise<void> {
  const [store, config] = opened;
  const lifeMs = toLife(expires);
  const user = await findUser(store, username);
  await createNote(store, config)(user, { action: 'user.reset-issued' });
  await printCode(opened, user, lifeMs);
}

function checkUsername(username: string): void {
  if (!isUsername(username))
    throw new AdminError('a username may contain letters, digits, `.`, `_`, `-`; 3 to 20 of them');
}

function toLife(expires: string): number {
  const lifeMs = parseDuration(expires);
  if (!lifeMs) throw new AdminError('--expires must be a duration such as 15m, 12h, 7d');
  return lifeMs;
}

async function add(
  [{ users }]: Opened,
  user: Pick<UserRecord, 'username' | 'passwordHash'>,
): Promise<UserRecord> {
  const created = await users.create({ ...user, locale: 'en' });
  if (!created)
    throw new AdminError(
      `username ${user.username} is taken; for a new password use \`sluice-admin users reset-password\``,
    );
  return created;
}

/** The code alone goes to the standard output. */
async function printCode([{ users }]: Opened, { id, username }: UserRecord, lifeMs: number): Promise<void> {
  const issued = await users.issueCode(id, lifeMs);
  if (!issued) throw new AdminError(`user ${username} was deleted meanwhile`);
  console.error(`With this code ${username} sets a password, once, until ${issued.expiresAt.toISOString()}:`);
  console.log(issued.code);
  console.error(
    `\n  curl -X PUT "$API/users/${username}/password" -H 'content-type: application/json' \\\n    -d '{"code":"CODE","new_password":"PASSWORD"}'`,
  );
}
