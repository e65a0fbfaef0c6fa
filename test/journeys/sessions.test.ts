import { afterAll, describe, expect, it } from 'vitest';
import { admin } from '../support/admin-command.ts';
import { type Answer, type Sluice, sharedSluice, startSluice, until } from '../support/sluice.ts';

const sluice = await sharedSluice();
/** Another replica, behind a proxy that does TLS. */
const replica = await startSluice({ workers: false, env: { ...sluice.env, TRUST_PROXY: '1' } });
afterAll(() => replica.stop());

type At = Pick<Sluice, 'request'>;
const password = 'correct horse';

const cookiesOf = ({ headers }: Answer) => headers.getSetCookie();
const cookieOf = (answer: Answer) => cookiesOf(answer)[0]?.split(';')[0] as string;

const post = (username: string, headers: Record<string, string> = {}, at: At = sluice) =>
  at.request('POST', '/session', { json: { username, password }, headers });
const renew = (cookie: string, headers: Record<string, string> = {}, at: At = sluice) =>
  at.request('POST', '/session/renew', { headers: { cookie, ...headers } });
const signOut = (cookie: string, headers: Record<string, string> = {}, at: At = sluice) =>
  at.request('DELETE', '/session', { headers: { cookie, ...headers } });
const me = async (token: string, at: At = sluice) => (await at.request('GET', '/users/me', { token })).status;

/** A browser that is signed in: its user, its cookie, and the tokens of two tabs. */
async function browser(at: At = sluice) {
  const owner = await sluice.owner();
  const answer = await post(owner.username, {}, at);
  const cookie = cookieOf(answer);
  const second = await renew(cookie, {}, replica);
  return { ...owner, cookie, login: owner.token, tabs: [answer, second].map(({ body }) => body.data.token) };
}

type Browser = Awaited<ReturnType<typeof browser>>;

/** The statuses of a request of each tab at each replica, and of a renewal. */
async function statuses({ tabs, cookie }: Browser): Promise<number[]> {
  const asked = tabs.flatMap((token) => [me(token), me(token, replica)]);
  return Promise.all([...asked, renew(cookie).then(({ status }) => status)]);
}

describe('a session', () => {
  it('gives each tab a token, at every replica, until JWT_TOKEN_DURATION is over', async () => {
    const { username } = await sluice.owner();
    const began = Date.now();
    const opened = await post(username);
    const ends = Date.parse(opened.body.data.expires_at);
    expect(ends - began).toBeGreaterThanOrEqual(12 * 3_600_000);
    expect(ends - Date.now()).toBeLessThanOrEqual(12 * 3_600_000);
    const renewed = await renew(cookieOf(opened), {}, replica);
    expect(renewed.status).toBe(200);
    expect(ends - Date.parse(renewed.body.data.expires_at)).toBeLessThanOrEqual(1_000);
    expect(cookiesOf(renewed)).toEqual([]);
    for (const { body } of [opened, renewed]) {
      const { exp } = JSON.parse(Buffer.from(body.data.token.split('.')[1], 'base64url').toString());
      expect(Math.abs(exp * 1_000 - ends)).toBeLessThanOrEqual(2_000);
      expect([await me(body.data.token), await me(body.data.token, replica)]).toEqual([200, 200]);
    }
  });

  it('has a cookie that only its own routes get, and no script', async () => {
    const { username } = await sluice.owner();
    const plain =
      /^sluice_session=[\w.-]+; Max-Age=43(199|200); Path=\/api\/session; HttpOnly; SameSite=Strict$/;
    const secure = new RegExp(`${plain.source.slice(0, -1)}; Secure$`);
    expect(cookiesOf(await post(username))).toEqual([expect.stringMatching(plain)]);
    const forwarded = { 'x-forwarded-proto': 'https' };
    expect(cookiesOf(await post(username, forwarded))).toEqual([expect.stringMatching(plain)]);
    expect(cookiesOf(await post(username, forwarded, replica))).toEqual([expect.stringMatching(secure)]);
    const { host } = new URL(sluice.url);
    const untrusted = await post(username, { origin: `https://${host}` });
    expect(cookiesOf(untrusted)).toEqual([expect.stringMatching(secure)]);
    const closed = await signOut(cookieOf(untrusted));
    expect(cookiesOf(closed)).toEqual([
      'sluice_session=; Max-Age=0; Path=/api/session; HttpOnly; SameSite=Strict',
    ]);
  });

  it('ends for all tabs with the sign-out, and no other session does', async () => {
    const one = await browser();
    const other = cookieOf(await post(one.username));
    expect(await statuses(one)).toEqual([200, 200, 200, 200, 200]);
    const { status, body } = await signOut(one.cookie, {}, replica);
    expect([status, body.data]).toEqual([200, { message: 'you are signed out' }]);
    expect(await statuses(one)).toEqual([401, 401, 401, 401, 401]);
    expect([(await renew(other)).status, await me(one.login)]).toEqual([200, 200]);
    expect((await signOut(one.cookie)).status).toBe(200);
    expect((await sluice.request('DELETE', '/session')).status).toBe(200);
  });

  it('ends for all tabs with a new password, and when the operator disables the user', async () => {
    const [changing, disabled] = [await browser(), await browser()];
    const json = { old_password: password, new_password: 'better horse' };
    const changed = await sluice.request('PUT', '/users/me/password', { token: changing.tabs[0], json });
    expect(changed.status).toBe(200);
    expect(await statuses(changing)).toEqual([401, 401, 401, 401, 401]);
    await admin(sluice.env, ['users', 'disable', disabled.username]);
    expect(await statuses(disabled)).toEqual([401, 401, 401, 401, 401]);
    expect((await post(disabled.username)).body.error.name).toBe('ForbiddenRequestError');
  });

  it('ends when another user signs in with the same browser', async () => {
    const [first, second] = [await browser(), await sluice.owner()];
    expect((await post(second.username, { cookie: first.cookie })).status).toBe(200);
    expect(await statuses(first)).toEqual([401, 401, 401, 401, 401]);
  });

  it('ends by itself', async () => {
    const short = await startSluice({ workers: false, env: { ...sluice.env, JWT_TOKEN_DURATION: '2s' } });
    try {
      const { username } = await sluice.owner();
      const opened = await post(username, {}, short);
      const cookie = cookieOf(opened);
      await until(async () => (await renew(cookie)).status === 401);
      expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(opened.body.data.expires_at) - 1_000);
      await until(async () => (await me(opened.body.data.token)) === 401);
    } finally {
      await short.stop();
    }
  });

  it('is opened by the password alone, with the limits of a login', async () => {
    const { username } = await sluice.owner();
    const json = { username, password: 'wrong horse' };
    const { status, body, headers } = await sluice.request('POST', '/session', { json });
    expect([status, body.error.name]).toEqual([401, 'InvalidCredentialsError']);
    expect(headers.getSetCookie()).toEqual([]);
    const limited = await startSluice({ workers: false, env: { LOGIN_RATE: '2/1h' } });
    try {
      const send = (path: string) =>
        limited.request('POST', path, { json: { username: 'nobody', password } }).then((a) => a.status);
      expect([await send('/session'), await send('/users/login'), await send('/session')]).toEqual([
        401, 401, 429,
      ]);
    } finally {
      await limited.stop();
    }
  });
});

describe('a cookie', () => {
  it('is no token, and a token is no cookie', async () => {
    const { cookie, tabs, login } = await browser();
    const value = cookie.split('=')[1] as string;
    expect(await me(value)).toBe(401);
    for (const token of [...tabs, login]) expect((await renew(`sluice_session=${token}`)).status).toBe(401);
  });

  it.each([
    ['changed', (cookie: string) => cookie.replace(/\.[^.]+$/, '.AAAA')],
    ['shortened', (cookie: string) => cookie.slice(0, -3)],
    ['empty', () => 'sluice_session='],
    ['of another name', (cookie: string) => `x${cookie}`],
    [
      'of another session',
      (cookie: string) => {
        const [head, claims = '', signature] = cookie.split('.');
        const { sid: _, ...rest } = JSON.parse(Buffer.from(claims, 'base64url').toString());
        const forged = { ...rest, sid: 'ffffffff-ffff-4fff-8fff-ffffffffffff' };
        return [head, Buffer.from(JSON.stringify(forged)).toString('base64url'), signature].join('.');
      },
    ],
  ])('that is %s gets no token, and ends nothing', async (_what, change) => {
    const one = await browser();
    const { status, body } = await renew(change(one.cookie));
    expect([status, body.error.name]).toEqual([401, 'UnauthorizedRequestError']);
    expect((await signOut(change(one.cookie))).status).toBe(200);
    expect(await statuses(one)).toEqual([200, 200, 200, 200, 200]);
  });

  it('among others is found', async () => {
    const { cookie } = await browser();
    expect((await renew(`a=1; ${cookie}; b=2`)).status).toBe(200);
  });

  it('of one user opens at most 50 sessions', async () => {
    const { username, cookie } = await browser();
    for (let count = 0; count < 50; count++) expect((await post(username)).status).toBe(200);
    expect((await renew(cookie)).status).toBe(401);
  });
});

describe('a page of another origin', () => {
  const { host } = new URL(sluice.url);
  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['another port', { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' }],
    ['a form', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
    ['an address', { 'sec-fetch-site': 'none' }],
    ['another site, in a browser without Sec-Fetch-Site', { origin: 'https://evil.example' }],
    ['a frame, in a browser without Sec-Fetch-Site', { origin: 'null' }],
  ])('is refused everything: %s', async (_what, headers: Record<string, string>) => {
    const one = await browser();
    const answers = [post(one.username, headers), renew(one.cookie, headers), signOut(one.cookie, headers)];
    for (const { status, body } of await Promise.all(answers))
      expect([status, body.error.name]).toEqual([403, 'ForbiddenRequestError']);
    expect(await statuses(one)).toEqual([200, 200, 200, 200, 200]);
  });

  it.each([
    [
      'Sec-Fetch-Site, behind a proxy with another host',
      { 'sec-fetch-site': 'same-origin', origin: 'https://a.example' },
    ],
    ['Origin', { origin: `http://${host}` }],
    ['Origin, behind a proxy that does TLS', { origin: `https://${host}` }],
  ])('is known from its own pages by %s', async (_what, headers: Record<string, string>) => {
    const { cookie } = await browser();
    expect((await renew(cookie, headers)).status).toBe(200);
    expect((await signOut(cookie, headers)).status).toBe(200);
  });
});
