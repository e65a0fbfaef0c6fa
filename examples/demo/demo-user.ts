import { randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { run } from '@sluice/admin/program.ts';
import { demoUsername } from '@sluice/store/accounts/credentials.ts';
import type { Client } from './client.ts';

/** Runs `sluice-admin` on the stores of `npm start`. Returns what it prints; undefined if it fails. */
async function admin(...args: string[]): Promise<string | undefined> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const printed = text(stdout);
  stderr.resume();
  const code = await run(['users', ...args], { stdin: Readable.from([]), stdout, stderr });
  stdout.end();
  return code === 0 ? (await printed).trim() : undefined;
}

/** Uses a link up. Undefined if the Sluice at the client's address has other stores than `sluice-admin`. */
async function passwordBy(client: Client, link: string) {
  const [, code] = link.split(`#${demoUsername}:`);
  const password = randomBytes(18).toString('base64url');
  const body = { code, new_password: password };
  const answer = await client.ask('PUT', `/users/${demoUsername}/password`, { body });
  return answer.ok ? { username: demoUsername, password } : undefined;
}

/** A demo user without applications. Undefined if it cannot be made from this machine. */
export async function renewDemoUser(client: Client) {
  if (!/^https?:\/\/(127\.|localhost\b)/.test(client.url)) return undefined;
  const first = await admin('invite', demoUsername);
  const link = first ?? (await admin('reset-password', demoUsername));
  const account = link ? await passwordBy(client, link) : undefined;
  if (!account && first) await admin('delete', demoUsername);
  if (!account || first) return account;
  await admin('delete', demoUsername, '--with-applications');
  const next = await admin('invite', demoUsername);
  return next ? passwordBy(client, next) : undefined;
}

/** A link that signs in once, and ends the password of before. */
export const signInLink = async (url: string) =>
  (await admin('reset-password', demoUsername, '--url', url))?.replace('/set-password#', '/sign-in-once#');
