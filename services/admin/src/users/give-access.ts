import { parseDuration } from '@sluice/shared/config/kinds.ts';
import { Api } from '@sluice/shared/config/variables.ts';
import { isUsername } from '@sluice/store/accounts/credentials.ts';
import bcrypt from 'bcrypt';
import { AdminError } from '../admin-error.ts';
import { createNote } from '../audit.ts';
import { readPassword } from '../read-password.ts';
import type { AdminTerminal } from '../terminal.ts';
import type { Opened } from '../with-store.ts';
import { findUser } from './find-user.ts';

export async function createUser(opened: Opened, username: string): Promise<void> {
  const [store, config, terminal] = opened;
  checkUsername(username);
  const passwordHash = await bcrypt.hash(await readPassword(terminal), config.bcryptCost);
  const user = await store.users.create({ username, locale: 'en', passwordHash });
  if (!user) throw taken(username);
  await createNote(store, config)(user, { action: 'user.created' });
  terminal.console.error(`user ${username} was created`);
}

export async function inviteUser(opened: Opened, username: string, options: LinkOptions): Promise<void> {
  const [store, config, terminal] = opened;
  checkUsername(username);
  const address = toAddress(terminal, options);
  const invited = await store.users.invite({ username, locale: 'en' }, toLife(options.expires));
  if (!invited) throw taken(username);
  await createNote(store, config)(invited.user, { action: 'user.invited' });
  printLink(terminal, address, username, invited);
}

export async function resetPassword(opened: Opened, username: string, options: LinkOptions): Promise<void> {
  const [store, config, terminal] = opened;
  const lifeMs = toLife(options.expires);
  const address = toAddress(terminal, options);
  const user = await findUser(store, username);
  await createNote(store, config)(user, { action: 'user.reset-issued' });
  const issued = await store.users.issueCode(user.id, lifeMs);
  if (!issued) throw new AdminError(`user ${username} was deleted meanwhile`);
  printLink(terminal, address, user.username, issued);
}

export interface LinkOptions {
  expires: string;
  /** Address of the console. */
  url?: string;
}

function checkUsername(username: string): void {
  if (!isUsername(username))
    throw new AdminError('a username may contain letters, digits, `.`, `_`, `-`; 3 to 20 of them');
}

const longestMs = 365 * 86_400_000;

function toLife(expires: string): number {
  const lifeMs = parseDuration(expires);
  if (!lifeMs || lifeMs > longestMs)
    throw new AdminError('--expires must be a duration such as 15m, 12h, 7d, at least 1s and at most 365d');
  return lifeMs;
}

function toAddress({ env: { PORT = Api.PORT.example } }: AdminTerminal, { url }: LinkOptions): string {
  const address = url ?? `http://127.0.0.1:${PORT}`;
  if (!/^https?:\/\/[^/]/.test(address) || !URL.canParse(address))
    throw new AdminError('--url must be an address such as https://sluice.example');
  return address.replace(/\/+$/, '');
}

const taken = (username: string) =>
  new AdminError(
    `username ${username} is taken; for a new password use \`sluice-admin users reset-password\``,
  );

/** Writes only the link to the standard output, and the explanation elsewhere. No log has what is behind the #. */
function printLink(
  { console }: AdminTerminal,
  address: string,
  username: string,
  { code, expiresAt }: { code: string; expiresAt: Date },
): void {
  console.error(`With this link ${username} sets a password, once, until ${expiresAt.toISOString()}:`);
  console.log(`${address}/set-password#${username}:${code}`);
}
