import { createPasswords } from '@sluice/api/accounts/passwords.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Sluice, startSluice, storeOf, until } from '../support/sluice.ts';

let cheap: Sluice;
let dear: Sluice;
beforeAll(async () => {
  cheap = await startSluice({ workers: false, env: { BCRYPT_COST: '4' } });
  dear = await startSluice({ workers: false, env: { ...cheap.env, BCRYPT_COST: '6' } });
});
afterAll(() => Promise.all([cheap.stop(), dear.stop()]));

const login = (at: Sluice, username: string, password = 'correct horse') =>
  at.request('POST', '/users/login', { json: { username, password } });

it('makes the hash of a password anew at the next right login when BCRYPT_COST has changed', async () => {
  const { users } = storeOf(cheap);
  const { username, token } = await cheap.owner();
  const hash = async () => (await users.byName(username))?.passwordHash as string;
  const before = await hash();
  expect(before).toMatch(/^\$2b\$04\$/);

  expect((await login(dear, username, 'wrong horse')).status).toBe(401);
  expect((await login(cheap, username)).status).toBe(200);
  expect(await hash()).toBe(before);

  expect((await login(dear, username)).status).toBe(200);
  await until(async () => /^\$2b\$06\$/.test(await hash()));
  expect((await login(dear, username)).status).toBe(200);
  expect((await login(dear, username, 'wrong horse')).status).toBe(401);
  expect((await dear.request('GET', '/users/me', { token })).status).toBe(200);
});

it('does not put the old password in the place of one that was set meanwhile', async () => {
  const { users } = storeOf(cheap);
  const { username, token } = await cheap.owner();
  const seen = await users.byName(username);
  const json = { old_password: 'correct horse', new_password: 'better horse' };
  expect((await cheap.request('PUT', '/users/me/password', { token, json })).status).toBe(200);

  const passwords = createPasswords(6);
  const late = await passwords.hash('correct horse', '192.0.2.1');
  await passwords.close();
  expect(await users.renewHash(seen?.id as string, seen?.passwordHash as string, late)).toBe(false);
  expect((await login(cheap, username)).status).toBe(401);
  expect((await login(cheap, username, 'better horse')).status).toBe(200);
});
