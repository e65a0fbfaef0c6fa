import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { sharedSluice, startSluice, storeOf } from '../support/sluice.ts';

const bcrypt = createRequire(import.meta.resolve('@sluice/api/start.ts'))('bcrypt');

const sluice = await sharedSluice();

describe('accounts', () => {
  it('registers, logs in and shows the user without password or hash', async () => {
    const { username, token } = await sluice.owner();
    const { status, body, text } = await sluice.request('GET', '/users/me', { token });
    expect(status).toBe(200);
    const shown = ['createdAt', 'lastModifiedAt', 'locale', 'signs_in_by', 'username'];
    expect(Object.keys(body.data).sort()).toEqual(shown);
    expect(body.data.signs_in_by).toEqual(['password']);
    expect(body.data.username).toBe(username);
    expect(text).not.toMatch(/\$2[aby]\$/);
    const listed = await sluice.request('GET', '/users', { token });
    expect(listed.body.data.map((user: { username: string }) => user.username)).toContain(username);
    expect(listed.text).not.toMatch(/hash|\$2[aby]\$/i);
  });

  it('takes a username once, without regard to case, also when two register at the same time', async () => {
    const json = (username: string) => ({ username, password: 'correct horse', locale: 'en' });
    const answers = await Promise.all(
      ['Twin.One', 'twin.one', 'TWIN.ONE'].map((name) =>
        sluice.request('POST', '/users/register', { json: json(name) }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.error.name).toBe('ResourceConflictError');
  });

  it('answers an unknown user and a wrong password alike', async () => {
    const { username } = await sluice.owner();
    const login = (name: string) =>
      sluice.request('POST', '/users/login', { json: { username: name, password: 'wrong horse' } });
    const [unknown, wrong] = [await login('nobody-here'), await login(username)];
    expect(unknown.status).toBe(401);
    expect(unknown.text).toBe(wrong.text);
  });

  it('ends earlier tokens when the password changes', async () => {
    const { username, token } = await sluice.owner();
    const change = { old_password: 'correct horse', new_password: 'better horse' };
    const refused = await sluice.request('PUT', '/users/me/password', {
      token,
      json: { ...change, old_password: 'x' },
    });
    expect(refused.body.error.name).toBe('InvalidCredentialsError');
    expect((await sluice.request('PUT', '/users/me/password', { token, json: change })).status).toBe(200);
    expect((await sluice.request('GET', '/users/me', { token })).status).toBe(401);
    const login = (password: string) =>
      sluice.request('POST', '/users/login', { json: { username, password } });
    expect((await login('correct horse')).status).toBe(401);
    expect((await login('better horse')).status).toBe(200);
  });

  it('does not take a password for right by its first 72 bytes', async () => {
    const username = 'seventy-two';
    const password = 'p'.repeat(72);
    await sluice.request('POST', '/users/register', { json: { username, password, locale: 'en' } });
    const login = (given: string) =>
      sluice.request('POST', '/users/login', { json: { username, password: given } });
    expect((await login(password)).status).toBe(200);
    expect((await login(`${password}x`)).status).toBe(401);
  });

  // Once a password could have NUL, and bcrypt takes `abcd\0abcd` for `abcd`.
  it.each([
    ['abcd\0abcd', 'abcd'],
    ['abcd\0abcd', 'abcd\0abcd'],
    ['\0'.repeat(8), ''],
    ['correct horse', 'correct horse\0correct horse'],
  ])('of a user whose password is %j nobody logs in with %j', async (password, given) => {
    const username = `u${randomBytes(6).toString('hex')}`;
    const passwordHash = await bcrypt.hash(password, 4);
    await storeOf(sluice).users.create({ username, locale: 'en', passwordHash });
    expect(await bcrypt.compare(given, passwordHash)).toBe(true);
    const json = { username, password: given };
    const { status, body } = await sluice.request('POST', '/users/login', { json });
    expect([status, body.error?.name]).toEqual([401, 'InvalidCredentialsError']);
  });

  it('says of a password with NUL what is wrong with it', async () => {
    const json = { username: 'someone', password: 'abcd\0abcd', locale: 'en' };
    const { status, body } = await sluice.request('POST', '/users/register', { json });
    expect(status).toBe(400);
    expect(body.error.message).toBe('body/password must have at most 72 bytes of UTF-8, and no NUL');
  });

  it.each(['PUT', 'PATCH'])('%s of me changes the own user, as by name', async (method) => {
    const { username, token } = await sluice.owner();
    const before = await sluice.request('GET', '/users/me', { token });
    const { status, body } = await sluice.request(method, '/users/me', { token, json: { locale: 'en' } });
    expect([status, body.data.username]).toEqual([200, username]);
    expect(body.data.lastModifiedAt >= before.body.data.lastModifiedAt).toBe(true);
    expect((await sluice.request('GET', `/users/${username}`, { token })).body).toEqual(body);
    const audit = await sluice.request('GET', '/users/me/activity?limit=1', { token });
    expect(audit.body.data.result).toMatchObject([
      { action: 'user.updated', details: { changed: ['locale'] } },
    ]);
  });

  it('names all methods of the own user where one is not allowed', async () => {
    const { token } = await sluice.owner();
    const { status, headers } = await sluice.request('DELETE', '/users/me', { token });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, PUT, PATCH']);
  });

  it.each(['__proto__', 'constructor', 'toString'])(
    'lets %s be a username like any other',
    async (username) => {
      const { token } = await sluice.owner(username);
      expect((await sluice.request('GET', `/users/${username}`, { token })).body.data.username).toBe(
        username,
      );
    },
  );

  it('changes the own user only', async () => {
    const [one, other] = [await sluice.owner(), await sluice.owner()];
    const json = { locale: 'en' };
    for (const method of ['PUT', 'PATCH']) {
      expect(
        (await sluice.request(method, `/users/${one.username}`, { token: one.token, json })).status,
      ).toBe(200);
      const refused = await sluice.request(method, `/users/${other.username}`, { token: one.token, json });
      expect(refused.body.error.name).toBe('ForbiddenRequestError');
    }
  });

  it('is closed for registration unless opened', async () => {
    const closed = await startSluice({ workers: false, env: { ...sluice.env, REGISTRATION_OPEN: 'No' } });
    try {
      const json = { username: 'someone', password: 'correct horse', locale: 'en' };
      const { status, body } = await closed.request('POST', '/users/register', { json });
      expect([status, body.error.name]).toEqual([403, 'RegistrationClosedError']);
    } finally {
      await closed.stop();
    }
  });
});
