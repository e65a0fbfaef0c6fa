import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { admin } from '../support/admin-command.ts';
import { createBrowser, type OidcBrowser } from '../support/oidc-browser.ts';
import { startProvider } from '../support/oidc-provider.ts';
import { startSluice, storeOf } from '../support/sluice.ts';

const provider = await startProvider();
const sluice = await startSluice({ workers: false, env: provider.env });
afterAll(async () => {
  await sluice.stop();
  provider.stop();
});
const { publicUrl } = provider;
const password = 'correct horse';

/** Names at the provider that no other test uses. */
let count = 0;
const newLogin = () => `person${++count}`;

const failed = (reason: string) => `${publicUrl}/sign-in?failed=${reason}`;
const profile = async (token: string | undefined) =>
  (await sluice.request('GET', '/users/me', { token })).body.data;
const usernameOf = async (browser: OidcBrowser) => (await profile(await browser.token()))?.username;

/** Signs in from the first click on; returns where that ends. */
async function signIn(login: string, browser = createBrowser(provider), query = '') {
  const answer = await browser.comeBack(await browser.signInThere(await browser.begin(query), login));
  return { browser, location: answer.headers.get('location') };
}

/** A browser whose user signed in with a password. */
async function withPassword(username?: string) {
  const owner = await sluice.owner(username);
  const browser = createBrowser(provider);
  await browser.signInWithPassword(owner.username, password);
  return { ...owner, browser };
}

async function link(browser: OidcBrowser, login: string) {
  return (await browser.comeBack(await browser.signInThere(await browser.beginLink(), login))).headers.get(
    'location',
  );
}

/** Acts in the audit log, oldest first. */
async function actsOf(token: string | undefined): Promise<string[]> {
  const { body } = await sluice.request('GET', '/users/me/activity', { token });
  return body.data.result.map(({ action }: { action: string }) => action).reverse();
}

describe('a sign-in through the provider', () => {
  it('makes a user the first time, and finds the same one later', async () => {
    const login = newLogin();
    const first = await signIn(login, undefined, '?return_to=/applications/a?b=c');
    expect(first.location).toBe(`${publicUrl}/applications/a?b=c`);
    const user = await profile(await first.browser.token());
    expect(user.username).toBe(login);
    const second = await signIn(login);
    const token = await second.browser.token();
    expect(await profile(token)).toEqual(user);
    expect(await actsOf(token)).toEqual(['user.registered', 'user.logged-in', 'user.logged-in']);
  });

  it('of several browsers at once, the first time, makes one user', async () => {
    const login = newLogin();
    const browsers = Array.from({ length: 8 }, () => createBrowser(provider));
    const urls = await Promise.all(browsers.map(async (each) => each.signInThere(await each.begin(), login)));
    await Promise.all(browsers.map((each, at) => each.comeBack(urls[at] as string)));
    const users = await Promise.all(browsers.map(async (each) => profile(await each.token())));
    expect(new Set(users.map(({ createdAt }) => createdAt)).size).toBe(1);
    expect(new Set(users.map(({ username }) => username))).toEqual(new Set([login]));
  });

  it.each([
    ['gretel@example.com', 'gretel'],
    ['Zoë Ångström', 'Zoe-Angstrom'],
    ['a very long name of a person', 'a-very-long-name-of'],
    ['李雷', 'user'],
    ['!!', 'user-2'],
    ['sluice_bot.1', 'sluice_bot.1'],
  ])('names the user of %s %s, or alike if that is taken', async (login, username) => {
    expect(await usernameOf((await signIn(login)).browser)).toBe(username);
  });

  it('never gives somebody the user of another person of the same name or address', async () => {
    const { username, token, browser } = await withPassword();
    const { browser: other } = await signIn(username);
    expect(await usernameOf(other)).toBe(`${username.slice(0, 18)}-2`);
    expect(await usernameOf(browser)).toBe(username);
    expect(await actsOf(token)).not.toContain('user.linked');
    // `id-of-` and the login are the subject; all have one e-mail address.
    expect(await usernameOf((await signIn(`${username}+x`)).browser)).toBe(`${username}x`.slice(0, 20));
  });

  it('ends the session that was open in the browser', async () => {
    const { token: _, browser, username } = await withPassword();
    const before = await browser.token();
    const { browser: same } = await signIn(newLogin(), browser);
    expect(await profile(before)).toBeUndefined();
    expect(await usernameOf(same)).not.toBe(username);
  });

  it('that is given up leaves the session as it was', async () => {
    const { browser, username } = await withPassword();
    const there = await browser.begin();
    const state = new URL(there).searchParams.get('state');
    const answer = await browser.comeBack(
      `${publicUrl}/api/session/oidc/callback?error=access_denied&state=${state}&iss=${provider.issuer}`,
    );
    expect(answer.headers.get('location')).toBe(failed('denied'));
    expect(await usernameOf(browser)).toBe(username);
  });

  it('lets no disabled user in', async () => {
    const { browser } = await signIn(newLogin());
    const username = await usernameOf(browser);
    await admin(sluice.env, ['users', 'disable', username]);
    expect(await browser.token()).toBeUndefined();
    expect((await signIn(username)).location).toBe(failed('disabled'));
    await admin(sluice.env, ['users', 'enable', username]);
    expect(await usernameOf((await signIn(username)).browser)).toBe(username);
  });

  it('signs out there too, if it was a sign-in there', async () => {
    const { browser } = await signIn(newLogin());
    const { message, url } = await browser.signOut();
    const { origin, pathname, searchParams } = new URL(url);
    expect([message, origin, pathname]).toEqual(['you are signed out', provider.issuer, '/session/end']);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: 'sluice',
      post_logout_redirect_uri: `${publicUrl}/sign-in`,
    });
    expect(await browser.token()).toBeUndefined();
    expect(await (await withPassword()).browser.signOut()).toEqual({ message: 'you are signed out' });
  });

  it('is no user without a way in, for the operator', async () => {
    const { browser } = await signIn(newLogin());
    const username = await usernameOf(browser);
    const { stdout } = await admin(sluice.env, ['users', 'list']);
    expect(stdout).toMatch(new RegExp(`^${username} +active `, 'm'));
  });
});

describe('a link', () => {
  it('lets a user in by both ways', async () => {
    const { browser, username, token } = await withPassword();
    expect(await link(browser, `also-${username}`)).toBe(`${publicUrl}/profile`);
    expect(await usernameOf(browser)).toBe(username);
    expect(await usernameOf((await signIn(`also-${username}`)).browser)).toBe(username);
    expect((await sluice.request('POST', '/users/login', { json: { username, password } })).status).toBe(200);
    expect(await actsOf(token)).toContain('user.linked');
  });

  it('takes the place of the one before', async () => {
    const [first, second] = [newLogin(), newLogin()];
    const { browser, username } = await withPassword();
    for (const login of [first, first, second])
      expect(await link(browser, login)).toBe(`${publicUrl}/profile`);
    expect(await usernameOf((await signIn(second)).browser)).toBe(username);
    expect(await usernameOf((await signIn(first)).browser)).toBe(first);
  });

  it('takes nobody an account of the provider', async () => {
    const [login, { browser, username }] = [newLogin(), await withPassword()];
    await signIn(login);
    expect(await link(browser, login)).toBe(failed('taken'));
    expect(await usernameOf((await signIn(login)).browser)).toBe(login);
    expect(await usernameOf(browser)).toBe(username);
  });

  it.each<[string, (one: Awaited<ReturnType<typeof withPassword>>) => Promise<unknown>]>([
    ['signed out', ({ browser }) => browser.signOut()],
    [
      'got a new password',
      ({ token }) =>
        sluice.request('PUT', '/users/me/password', {
          token,
          json: { old_password: password, new_password: 'better horse' },
        }),
    ],
    ['was disabled', ({ username }) => admin(sluice.env, ['users', 'disable', username])],
  ])('counts no more once the user %s', async (_what, end) => {
    const [login, one] = [newLogin(), await withPassword()];
    const back = await one.browser.signInThere(await one.browser.beginLink(), login);
    await end(one);
    expect((await one.browser.comeBack(back)).headers.get('location')).toBe(failed('expired'));
    expect(
      await storeOf(sluice).users.byIdentity({ issuer: provider.issuer, subject: `id-of-${login}` }),
    ).toBe(undefined);
  });

  it.each<[string, Record<string, string>, number]>([
    ['without a session', {}, 401],
    ['from another site', { origin: 'https://evil.example' }, 403],
    ['from another port', { 'sec-fetch-site': 'same-site' }, 403],
  ])('does not begin %s', async (_what, headers, status) => {
    const { browser } = await withPassword();
    const cookie = status === 403 ? browser.cookies.header() : '';
    const answer = await sluice.request('POST', '/session/oidc', { headers: { ...headers, cookie } });
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([status, []]);
  });
});

describe('settings', () => {
  /** Another Sluice, with a provider of its own. */
  async function at(env: Record<string, string>) {
    const own = await startProvider();
    const other = await startSluice({ workers: false, env: { ...own.env, ...env } });
    onTestFinished(async () => {
      await other.stop();
      own.stop();
    });
    const enter = async (login: string) => {
      const browser = createBrowser(own);
      const answer = await browser.comeBack(await browser.signInThere(await browser.begin(), login));
      const location = answer.headers.get('location') as string;
      return [location.replace(own.publicUrl, ''), (await browser.token()) !== undefined];
    };
    return { own, other, enter };
  }

  it('REGISTRATION_OPEN=off lets in only who has a user', async () => {
    const { enter, other } = await at({ REGISTRATION_OPEN: 'off' });
    expect(await enter('ada')).toEqual(['/sign-in?failed=closed', false]);
    expect(await storeOf(other).users.list()).toEqual([]);
  });

  it('OIDC_GROUPS lets in only their members', async () => {
    const { enter } = await at({ OIDC_GROUPS: 'board, staff' });
    expect(await enter('ada')).toEqual(['/sign-in?failed=group', false]);
    expect(await enter('staff-ada')).toEqual(['/', true]);
  });

  it('PASSWORD_LOGIN=off leaves the provider', async () => {
    const { enter, other, own } = await at({ PASSWORD_LOGIN: 'off' });
    const json = { username: 'ada', password };
    await admin(other.env, ['users', 'create', 'ada'], Buffer.from(password));
    const old = { old_password: password, new_password: 'better horse' };
    for (const [method, path, body] of [
      ['POST', '/users/login', json],
      ['POST', '/session', json],
      ['POST', '/users/register', { ...json, username: 'bob', locale: 'en' }],
      ['PUT', '/users/me/password', old],
      ['PUT', '/users/ada/password', { code: 'a', new_password: 'better horse' }],
    ] as const) {
      const answer = await other.request(method, path, { json: body });
      expect([answer.status, answer.body.error.message]).toEqual([
        403,
        'passwords are off (PASSWORD_LOGIN); sign in through the provider, on the sign-in page',
      ]);
    }
    expect(await enter('eve')).toEqual(['/', true]);
    expect((await other.request('GET', '/session/providers')).body.data).toEqual([
      { name: 'Example Inc.', url: `${own.publicUrl}/api/session/oidc`, only: true },
    ]);
  });

  it('LOGIN_RATE counts what begins', async () => {
    const { own, other, enter } = await at({ LOGIN_RATE: '2/1h' });
    expect(await enter('ada')).toEqual(['/', true]);
    const browser = createBrowser(own);
    await browser.begin();
    const { status, body } = await other.request('GET', '/session/oidc');
    expect([status, body.error.name]).toEqual([429, 'TooManyRequestsError']);
  });

  it('of a provider that is away refuse for a while, and nothing else', async () => {
    const { own, other } = await at({});
    own.stop();
    const { status, body, headers } = await other.request('GET', '/session/oidc');
    expect([status, body.error.name, headers.get('retry-after')]).toEqual([
      503,
      'ServiceUnavailableError',
      '60',
    ]);
    const page = await fetch(`${other.url}/api/session/oidc`, {
      headers: { accept: 'text/html' },
      redirect: 'manual',
    });
    expect(page.headers.get('location')).toBe(`${own.publicUrl}/sign-in?failed=unavailable`);
    await other.owner();
    await own.resume();
    expect(await createBrowser(own).begin()).toContain(own.issuer);
  });

  it('of no provider have no way in', async () => {
    const none = await startSluice({ workers: false });
    onTestFinished(() => none.stop());
    expect((await none.request('GET', '/session/providers')).body.data).toEqual([]);
    const { status, body } = await none.request('GET', '/session/oidc', { headers: { accept: 'text/html' } });
    expect([status, body.error.name]).toEqual([404, 'ResourceNotFoundError']);
  });
});
