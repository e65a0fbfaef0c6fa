import { randomBytes } from 'node:crypto';
import type { Client } from './client.ts';
import { DemoError } from './demo-error.ts';
import { renewDemoUser } from './demo-user.ts';
import type { Options } from './options.ts';

export interface Account {
  username: string;
  password: string;
  token: string;
}

/** Logs in as the given user, as the demo's own, or as a new one. */
export async function logIn(client: Client, existing: Options['account']): Promise<Account> {
  await client.need('GET', '/health/live');
  const { username, password } = existing ?? (await renewDemoUser(client)) ?? (await register(client));
  const { token } = await client.need<{ token: string }>('POST', '/users/login', {
    body: { username, password },
  });
  return { username, password, token };
}

async function register(client: Client) {
  const account = {
    username: `demo-${randomBytes(3).toString('hex')}`,
    password: randomBytes(12).toString('base64url'),
  };
  const body = { ...account, locale: 'en' };
  const answer = await client.ask('POST', '/users/register', { body });
  if (answer.ok) return account;
  const { name, message } = answer.refusal;
  if (name !== 'RegistrationClosedError')
    throw new DemoError(`cannot register ${account.username}: ${message}`);
  throw new DemoError(
    'registration is closed: start Sluice with REGISTRATION_OPEN=on, or give --username and --password of a user',
  );
}
