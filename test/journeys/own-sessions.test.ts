import { MongoClient } from 'mongodb';
import { afterAll, describe, expect, it } from 'vitest';
import { type Answer, sharedSluice, startSluice, storeOf } from '../support/sluice.ts';

const sluice = await sharedSluice();
/** Another replica, behind a proxy that tells it the client's address. */
const replica = await startSluice({ workers: false, env: { ...sluice.env, TRUST_PROXY: '1' } });
const mongo = new MongoClient(sluice.env.MONGODB_URL as string);
afterAll(() => Promise.all([replica.stop(), mongo.close()]));

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const safari =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

interface Browser {
  id: string;
  token: string;
  cookie: string;
}

async function signIn(username: string, agent = firefox, from = '192.0.2.77'): Promise<Browser> {
  const opened = await replica.request('POST', '/session', {
    json: { username, password: 'correct horse' },
    headers: { 'user-agent': agent, 'x-forwarded-for': from },
  });
  const { token } = opened.body.data;
  const { sid } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString());
  return { id: sid, token, cookie: opened.headers.getSetCookie()[0]?.split(';')[0] as string };
}

const list = async (token: string) =>
  (await sluice.request('GET', '/users/me/sessions', { token })).body.data;
const idsOf = async (token: string) => (await list(token)).map(({ id }: { id: string }) => id);
const end = (token: string, path: string): Promise<Answer> =>
  sluice.request('DELETE', `/users/me/sessions${path}`, { token });
const isOpen = async ({ token, cookie }: Browser) => {
  const [asked, renewed] = [
    await replica.request('GET', '/users/me', { token }),
    await sluice.request('POST', '/session/renew', { headers: { cookie } }),
  ];
  expect(asked.status).toBe(renewed.status);
  return asked.status === 200;
};

/** A user with three browsers, a token of a login and a personal token. */
async function everywhere() {
  const owner = await sluice.owner();
  const { username, token: login } = owner;
  const browsers = [
    await signIn(username),
    await signIn(username, safari, '2001:db8:1:2::3'),
    await signIn(username),
  ];
  const json = { name: 'n', scopes: ['read'] };
  const personal = (await sluice.request('POST', '/users/me/tokens', { token: login, json })).body.data.token;
  return { username, login, personal, browsers: browsers as [Browser, Browser, Browser] };
}

describe('sessions of a user', () => {
  it('are listed with browser and network, newest first, and without addresses', async () => {
    const before = Date.now();
    const { login, browsers } = await everywhere();
    const [first, second, third] = browsers;
    const listed = await list(second.token);
    const times = { since: expect.any(String), last_seen: expect.any(String) };
    const linux = { browser: 'Firefox on Linux', network: '192.0.2.0/24', ...times };
    const phone = { browser: 'Safari on iOS', network: '2001:db8:1::/48', ...times };
    expect(listed).toEqual([
      { id: third.id, current: false, ...linux },
      { id: second.id, current: true, ...phone },
      { id: first.id, current: false, ...linux },
    ]);
    for (const { since, last_seen } of listed) {
      expect(Date.parse(since)).toBeGreaterThanOrEqual(before);
      expect(last_seen).toBe(since);
    }
    // A token of a login belongs to no browser.
    expect((await list(login)).map(({ current }: { current: boolean }) => current)).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('end one by one, for all tabs and at every replica', async () => {
    const { login, personal, browsers } = await everywhere();
    const [first, second, third] = browsers;
    const { status, body } = await end(first.token, `/${second.id}`);
    expect([status, body.data]).toEqual([200, { message: `session ${second.id} was ended` }]);
    expect([await isOpen(first), await isOpen(second), await isOpen(third)]).toEqual([true, false, true]);
    expect((await end(first.token, `/${second.id}`)).status).toBe(404);
    expect(await idsOf(first.token)).toEqual([third.id, first.id]);
    for (const token of [login, personal])
      expect((await sluice.request('GET', '/users/me', { token })).status).toBe(200);
    const audit = await sluice.request('GET', '/users/me/activity?limit=1', { token: first.token });
    expect(audit.body.data.result).toMatchObject([
      { action: 'session.ended', details: { session: second.id } },
    ]);
  });

  it('of somebody else neither show nor end', async () => {
    const [one, other] = [await everywhere(), await everywhere()];
    const [theirs] = other.browsers;
    expect((await end(one.browsers[0].token, `/${theirs.id}`)).status).toBe(404);
    expect(await isOpen(theirs)).toBe(true);
    expect((await end(one.login, '')).body.data.message).toBe('3 other sessions were ended');
    expect(await idsOf(other.login)).toHaveLength(3);
    expect(await idsOf(one.login)).toEqual([]);
  });

  it.each([
    ['', '2 other sessions were ended', 200],
    ['?tokens=true', '2 other sessions were ended; all personal tokens were revoked', 401],
  ])('all end but this one with %j', async (query, message, personalStatus) => {
    const { personal, login, browsers } = await everywhere();
    const [first, second, third] = browsers;
    expect((await end(second.token, query)).body.data).toEqual({ message });
    expect([await isOpen(first), await isOpen(second), await isOpen(third)]).toEqual([false, true, false]);
    expect((await sluice.request('GET', '/users/me', { token: personal })).status).toBe(personalStatus);
    expect((await sluice.request('GET', '/users/me', { token: login })).status).toBe(200);
    expect((await end(second.token, query)).body.data.message).toMatch(/^0 other sessions were ended/);
  });

  it('are seen once in five minutes, where the last request came from', async () => {
    const { username } = await sluice.owner();
    const { token } = await signIn(username);
    const { users } = storeOf(sluice);
    const session = async () => (await users.byName(username))?.sessions?.[0];
    const ask = (from: string) =>
      replica.request('GET', '/users/me', { token, headers: { 'x-forwarded-for': from } });
    const before = await session();
    await ask('198.51.100.7');
    expect(await session()).toEqual(before);
    const seen = { 'sessions.0.lastSeen': new Date(Date.now() - 5 * 60_000) };
    await mongo.db().collection('users').updateOne({ username }, { $set: seen });
    await Promise.all([ask('198.51.100.7'), ask('198.51.100.7')]);
    const after = await session();
    expect(after?.network).toBe('198.51.100.0/24');
    expect(Number(after?.lastSeen)).toBeGreaterThanOrEqual(Number(before?.lastSeen));
    await ask('192.0.2.77');
    expect(await session()).toEqual(after);
  });

  it('of an earlier version are listed too', async () => {
    const { username, token } = await sluice.owner();
    const { users } = storeOf(sluice);
    const expiresAt = new Date(Date.now() + 3_600_000);
    await users.beginSession((await users.byName(username))?.id as string, { id: 'old', expiresAt });
    const began = new Date(expiresAt.getTime() - 12 * 3_600_000).toISOString();
    const unknown = { browser: 'unknown', network: 'unknown', since: began, last_seen: began };
    expect(await list(token)).toEqual([{ id: 'old', current: false, ...unknown }]);
  });
});
