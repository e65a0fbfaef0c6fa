import { parseDuration } from '@sluice/shared/config/kinds.ts';
import { Api } from '@sluice/shared/config/variables.ts';
import { isUsername } from '@sluice/store/accounts/credentials.ts';
import type { UserRecord } from '@sluice/store/accounts/users.ts';
import { isEmail } from '@sluice/store/alerts/email.ts';
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
  const { email } = options;
  const lifeMs = toLife(options.expires);
  if (email !== undefined) checkEmail(email, config.hasMail);
  const invited = await store.users.invite({ username, locale: 'en' }, lifeMs);
  if (!invited) throw taken(username);
  await createNote(store, config)(invited.user, { action: 'user.invited' });
  if (email !== undefined) {
    await store.addresses.set(invited.user.id, email);
    return mailLink(opened, 'invite', invited.user, lifeMs);
  }
  printLink(terminal, address, username, invited);
}

export async function resetPassword(opened: Opened, username: string, options: LinkOptions): Promise<void> {
  const [store, config, terminal] = opened;
  const lifeMs = toLife(options.expires);
  const address = toAddress(terminal, options);
  const user = await findUser(store, username);
  await createNote(store, config)(user, { action: 'user.reset-issued' });
  const hasMail = config.hasMail && !options.print;
  if (hasMail && (await store.addresses.of(user.id)).address) return mailLink(opened, 'reset', user, lifeMs);
  const issued = await store.users.issueCode(user.id, lifeMs);
  if (!issued) throw new AdminError(`user ${username} was deleted meanwhile`);
  printLink(terminal, address, user.username, issued);
}

export interface LinkOptions {
  expires: string;
  /** Address of the console. */
  url?: string;
  email?: string;
  /** Print the link in any case. */
  print?: boolean;
}

function checkEmail(email: string, hasMail: boolean): void {
  if (!hasMail)
    throw new AdminError('--email needs MAIL_FROM and PUBLIC_URL; without it the link is printed');
  if (!isEmail(email)) throw new AdminError('--email must be an address such as ada@example.com');
}

/** Ingest workers make the link when they send the mail. */
async function mailLink(
  [store, , { console }]: Opened,
  kind: 'invite' | 'reset',
  { id, username }: UserRecord,
  lifeMs: number,
): Promise<void> {
  await store.mails.add(kind, id, lifeMs);
  console.error(`a mail with a link by which ${username} sets a password is on its way`);
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
