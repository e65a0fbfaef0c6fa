import { MongoClient } from 'mongodb';
import { afterAll, describe, expect, it } from 'vitest';
import { admin } from '../support/admin-command.ts';
import { codeOf, wrongCodeOf } from '../support/authenticator.ts';
import { type Answer, type Sluice, sharedSluice, startSluice } from '../support/sluice.ts';

const sluice = await sharedSluice({ env: { SECRETS_KEY: 'a secret of tests' } });
/** A replica that requires a second factor. */
const strict = await startSluice({ workers: false, env: { ...sluice.env, SECOND_FACTOR: 'required' } });
const mongo = new MongoClient(sluice.env.MONGODB_URL as string);
afterAll(() => Promise.all([strict.stop(), mongo.close()]));

type At = Pick<Sluice, 'request'>;
const password = 'correct horse';
const path = '/users/me/second-factor';

const logIn = (username: string, code?: string, at: At = sluice, where = '/users/login') =>
  at.request('POST', where, { json: { username, password, ...(code !== undefined && { code }) } });
const nameOf = ({ status, body }: Answer) => [status, body.error?.name];
const state = async (token: string) => (await sluice.request('GET', path, { token })).body.data;

async function begin(token: string, at: At = sluice) {
  const { body } = await at.request('POST', path, { token });
  return { url: body.data.otpauth_url as string, recovery: body.data.recovery_codes as string[] };
}
const confirm = (token: string, code: string, at: At = sluice) =>
  at.request('POST', `${path}/confirm`, { token, json: { code } });
const remove = (token: string, code: string) => sluice.request('DELETE', path, { token, json: { code } });

/** A user whose second factor is on. The next code of the app is still good. */
async function withFactor() {
  const owner = await sluice.owner();
  const begun = await begin(owner.token);
  const used = codeOf(begun.url);
  expect((await confirm(owner.token, used)).body.data).toEqual({ message: 'the second factor is on' });
  return { ...owner, ...begun, used };
}

const audit = async (token: string): Promise<{ action: string; details?: object }[]> =>
  (await sluice.request('GET', '/users/me/activity', { token })).body.data.result;

describe('a second factor', () => {
  it('is set up with an app and ten recovery codes, and changes nothing until it is confirmed', async () => {
    const { username, token } = await sluice.owner();
    expect(await state(token)).toEqual({ on: false, required: false, recovery_codes_left: 0 });
    const { url, recovery } = await begin(token);
    const { protocol, host, pathname, searchParams } = new URL(url);
    expect([protocol, host, decodeURIComponent(pathname)]).toEqual([
      'otpauth:',
      'totp',
      `/Sluice:${username}@127.0.0.1`,
    ]);
    expect(Object.fromEntries(searchParams)).toEqual({
      issuer: 'Sluice',
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
    expect(recovery).toHaveLength(10);
    expect((await logIn(username)).status).toBe(200);
    expect(nameOf(await confirm(token, wrongCodeOf(url)))).toEqual([401, 'InvalidCredentialsError']);
    expect(nameOf(await remove(token, codeOf(url)))).toEqual([409, 'ResourceConflictError']);
    expect((await logIn(username)).status).toBe(200);
    expect((await confirm(token, codeOf(url))).status).toBe(200);
    expect(await state(token)).toEqual({ on: true, required: false, recovery_codes_left: 10 });
    for (const again of [await confirm(token, codeOf(url, 1)), await sluice.request('POST', path, { token })])
      expect(nameOf(again)).toEqual([409, 'ResourceConflictError']);
  });

  it.each(['/users/login', '/session'])('is needed at POST %s, each code once', async (where) => {
    const { username, token, url, recovery } = await withFactor();
    const at = (code?: string) => logIn(username, code, sluice, where);
    const needed = await at();
    expect(nameOf(needed)).toEqual([401, 'SecondFactorRequiredError']);
    expect(needed.headers.get('www-authenticate')).toBe('Bearer');
    expect(needed.headers.getSetCookie()).toEqual([]);
    const next = codeOf(url, 1);
    expect(nameOf(await at(wrongCodeOf(url)))).toEqual([401, 'InvalidCredentialsError']);
    const entered = await at(next);
    expect([entered.status, typeof entered.body.data.token]).toEqual([200, 'string']);
    expect(nameOf(await at(next))).toEqual([401, 'InvalidCredentialsError']);
    expect((await at(recovery[0])).status).toBe(200);
    expect(nameOf(await at(recovery[0]))).toEqual([401, 'InvalidCredentialsError']);
    expect((await state(token)).recovery_codes_left).toBe(9);
  });

  it('lets one in who has the same code as others at once, at whichever replica', async () => {
    const { username, url, recovery } = await withFactor();
    for (const code of [codeOf(url, 1), recovery[5]]) {
      const answers = await Promise.all(
        [sluice, strict, sluice, strict].map((at) => logIn(username, code, at)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
      // Else the wrong ones make the next code wait.
      await sluice.request('POST', '/users/login', { json: { username, password, code: recovery.pop() } });
    }
  });

  it('shows in no answer to a wrong password', async () => {
    const [{ username: plain }, { username, url }] = [await sluice.owner(), await withFactor()];
    const texts = new Set<string>();
    for (const name of [plain, username, 'nobody-here'])
      for (const code of [undefined, codeOf(url, 1)]) {
        const json = { username: name, password: 'wrong horse', ...(code && { code }) };
        const { status, text } = await sluice.request('POST', '/users/login', { json });
        expect(status).toBe(401);
        texts.add(text);
      }
    expect(texts.size).toBe(1);
  });

  it('is turned off with a code only, and can be set up anew', async () => {
    const { username, token, url, recovery, used } = await withFactor();
    for (const code of [used, wrongCodeOf(url), ''])
      expect(nameOf(await remove(token, code))).toEqual([401, 'InvalidCredentialsError']);
    expect(nameOf(await sluice.request('DELETE', path, { token }))).toEqual([400, 'InvalidRequestError']);
    expect((await remove(token, recovery[0] as string)).body.data).toEqual({
      message: 'the second factor is off',
    });
    expect((await logIn(username)).status).toBe(200);
    expect((await logIn(username, recovery[1])).status).toBe(200);
    const anew = await begin(token);
    expect((await confirm(token, codeOf(anew.url))).status).toBe(200);
    expect(nameOf(await logIn(username, recovery[1]))).toEqual([401, 'InvalidCredentialsError']);
    expect((await logIn(username, anew.recovery[1])).status).toBe(200);
  });

  it('makes whoever guesses codes to turn it off wait, and resets no limit of logins', async () => {
    const { username, token, url, recovery } = await withFactor();
    const wrong = (code = wrongCodeOf(url)) => remove(token, code);
    const guesses = await Promise.all(Array.from({ length: 30 }, () => wrong()));
    const names = new Set(guesses.map(({ body }) => body.error.name));
    expect(names).toEqual(new Set(['InvalidCredentialsError', 'TooManyRequestsError']));
    expect((await logIn(username, recovery[0])).status).toBe(200);
  });

  it('leaves personal tokens and sessions as they are, and a new password leaves it on', async () => {
    const owner = await sluice.owner();
    const session = (await logIn(owner.username, undefined, sluice, '/session')).body.data.token;
    const json = { name: 'n', scopes: ['read'] };
    const personal = (await sluice.request('POST', '/users/me/tokens', { token: owner.token, json })).body
      .data;
    const { url, recovery } = await begin(owner.token);
    await confirm(owner.token, codeOf(url));
    for (const token of [owner.token, session, personal.token])
      expect((await sluice.request('GET', '/users/me', { token })).status).toBe(200);
    const change = { old_password: password, new_password: 'better horse' };
    expect((await sluice.request('PUT', '/users/me/password', { token: session, json: change })).status).toBe(
      200,
    );
    const anew = (code?: string) =>
      sluice.request('POST', '/users/login', {
        json: { username: owner.username, password: 'better horse', ...(code && { code }) },
      });
    expect(nameOf(await anew())).toEqual([401, 'SecondFactorRequiredError']);
    expect((await anew(recovery[0])).status).toBe(200);
  });

  it('is in the audit log with what it was used for, and without codes', async () => {
    const { username, token, url, recovery } = await withFactor();
    await logIn(username, codeOf(url, 1));
    await logIn(username, 'wrong');
    await logIn(username, recovery[0]);
    await remove(token, recovery[1] as string);
    const records = await audit(token);
    expect(
      records
        .map(({ action, details = {} }) => [action, details])
        .reverse()
        .slice(1),
    ).toEqual([
      ['user.logged-in', {}],
      ['second-factor.confirmed', {}],
      ['user.logged-in', { code: 'app' }],
      ['second-factor.failed', { count: 1, lastAt: expect.any(String) }],
      ['user.logged-in', { code: 'recovery' }],
      ['second-factor.removed', { code: 'recovery' }],
    ]);
  });

  it('is turned off by the operator for who has lost it', async () => {
    const { username, token } = await withFactor();
    const reset = () => admin(sluice.env, ['users', 'reset-second-factor', username]);
    const done = await reset();
    expect([done.code, done.stdout]).toEqual([0, '']);
    expect(done.stderr).toBe(
      `the second factor of ${username} is off; the password alone is enough at the next login\n`,
    );
    expect((await logIn(username)).status).toBe(200);
    expect(await reset()).toMatchObject({ code: 1, stderr: expect.stringContaining('has no second factor') });
    expect((await audit(token)).find(({ action }) => action === 'second-factor.reset')).toMatchObject({
      address: 'sluice-admin',
    });
  });

  it('is stored without its secret and codes in the clear', async () => {
    const { username, url, recovery } = await withFactor();
    const stored = JSON.stringify(await mongo.db().collection('users').findOne({ username }));
    for (const secret of [
      new URL(url).searchParams.get('secret'),
      ...recovery,
      ...recovery.map((code) => code.replaceAll('-', '')),
    ])
      expect(stored).not.toContain(secret);
  });
});

describe('with SECOND_FACTOR=required', () => {
  it('a login without one may do nothing but set it up', async () => {
    const { username, token: before } = await sluice.owner();
    const json = { name: 'n', scopes: ['read'] };
    const personal = (await sluice.request('POST', '/users/me/tokens', { token: before, json })).body.data
      .token;
    const opened = await logIn(username, undefined, strict, '/session');
    const { token, second_factor_missing } = opened.body.data;
    expect(second_factor_missing).toBe(true);
    const login = (await logIn(username, undefined, strict)).body.data.token;
    const ask = async (each: string, where: string, method = 'GET') =>
      nameOf(await strict.request(method, where, { token: each }));
    for (const each of [before, token, login]) {
      expect(await ask(each, '/users/me')).toEqual([200, undefined]);
      for (const where of [
        '/users',
        '/applications',
        '/users/me/activity',
        '/users/me/tokens',
        '/users/me/sessions',
      ])
        expect(await ask(each, where)).toEqual([403, 'ForbiddenRequestError']);
      expect(await ask(each, '/applications', 'POST')).toEqual([403, 'ForbiddenRequestError']);
    }
    expect(await ask(personal, '/applications')).toEqual([200, undefined]);
    const { url } = await begin(token, strict);
    expect((await confirm(token, codeOf(url), strict)).status).toBe(200);
    for (const each of [before, token, login])
      expect(await ask(each, '/applications')).toEqual([200, undefined]);
    const cookie = opened.headers.getSetCookie()[0]?.split(';')[0] as string;
    const renewed = await strict.request('POST', '/session/renew', { headers: { cookie } });
    expect(Object.keys(renewed.body.data).sort()).toEqual(['expires_at', 'token']);
  });

  it('a session that began without a password needs none', async () => {
    const { username } = await sluice.owner();
    const { token } = (await logIn(username, undefined, strict, '/session')).body.data;
    const via = { $set: { 'sessions.0.via': 'oidc' } };
    await mongo.db().collection('users').updateOne({ username }, via);
    expect((await strict.request('GET', '/applications', { token })).status).toBe(200);
  });
});

it('is refused, with what the operator can do, where SECRETS_KEY is not set', async () => {
  const plain = await sharedSluice();
  const { token } = await plain.owner();
  const { status, body } = await plain.request('POST', path, { token });
  expect([status, body.error.message]).toEqual([
    403,
    'a second factor is not possible here: the operator can set SECRETS_KEY',
  ]);
});
