import { text } from 'node:stream/consumers';
import { askHidden } from '@sluice/shared/terminal/ask-hidden.ts';
import { isPassword } from '@sluice/store/accounts/credentials.ts';
import { AdminError } from './admin-error.ts';
import type { AdminStreams } from './terminal.ts';

/** Asks twice for a new password without showing it, or reads it from a standard input that is no terminal. */
export async function readPassword(terminal: AdminStreams): Promise<string> {
  const password = terminal.stdin.isTTY
    ? await askTwice(terminal)
    : (await text(terminal.stdin)).replace(/\r?\n$/, '');
  if (!isPassword(password))
    throw new AdminError(
      'the password must have at least 8 characters and at most 72 bytes of UTF-8, and no NUL',
    );
  return password;
}

async function askTwice(terminal: AdminStreams): Promise<string> {
  const password = await askHidden(terminal, 'New password: ');
  if ((await askHidden(terminal, 'Again: ')) !== password) throw new AdminError('the two are not the same');
  return password;
}
