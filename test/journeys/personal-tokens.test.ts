import { afterAll, describe, expect, it } from 'vitest';
import { admin } from '../support/admin-command.ts';
import { sharedSluice, startSluice, until } from '../support/sluice.ts';

const sluice = await sharedSluice();
const replica = await startSluice({ workers: false, env: sluice.env });
afterAll(() => replica.stop());

const password = 'correct horse';

async function user() {
  const owner = await sluice.owner();
  const { token } = owner;
  const create = async (json: object) => {
    const answer = await sluice.request('POST', '/users/me/tokens', { token, json: { name: 'n', ...json } });
    return { status: answer.status, body: answer.body, ...answer.body.data };
  };
  const list = async () => (await sluice.request('GET', '/users/me/tokens', { token })).body.data;
  const revoke = (id: string) => sluice.request('DELETE', `/users/me/tokens/${id}`, { token });
  return { ...owner, create, list, revoke };
}

const statusWith = async (
  token: string,
  path = '/applications',
  at: Pick<typeof sluice, 'request'> = sluice,
) => (await at.request('GET', path, { token })).status;

describe('a personal token', () => {
  it('has a mark, a checksum, and is shown once', async () => {
    const { create, list } = await user();
    const { id, token } = await create({ scopes: ['read'] });
    expect(token).toMatch(/^slp_[0-9a-f]{48}$/);
    expect(await statusWith(token)).toBe(200);
    const mistyped = token.replace(/.$/, (last: string) => (last === '0' ? '1' : '0'));
    expect(await statusWith(mistyped)).toBe(401);
    const [listed] = await list();
    expect(listed).toMatchObject({ id, name: 'n', scopes: ['read'] });
    expect(JSON.stringify(await list())).not.toContain(token.slice(4));
    expect(Date.now() - Date.parse(listed.lastUsedAt)).toBeLessThan(60_000);
  });

  it('ends when it expires, and is refused with a time that is over', async () => {
    const { create } = await user();
    const ends = new Date(Date.now() + 2_000).toISOString();
    const { token } = await create({ scopes: ['read'], expires_at: ends });
    expect(await statusWith(token)).toBe(200);
    await until(async () => (await statusWith(token)) === 401);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(ends));
    const late = await create({ scopes: ['read'], expires_at: new Date(Date.now() - 1).toISOString() });
    expect([late.status, late.body.error.details[0].path]).toEqual([400, '/expires_at']);
  });

  it('reaches only the applications that it names', async () => {
    const { token: login, create } = await user();
    const [one, other] = [await sluice.application(login), await sluice.application(login)];
    const { token } = await create({ scopes: ['read', 'write'], applications: [one] });
    const { body } = await sluice.request('GET', '/applications', { token });
    expect(body.data.map(({ domain }: { domain: string }) => domain)).toEqual([one]);
    expect(await statusWith(token, `/applications/${one}/data`)).toBe(200);
    expect(await statusWith(token, `/applications/${other}/data`)).toBe(404);
    expect(await statusWith(token, '/users/me/activity')).toBe(403);
    const json = { name: 'A', type: 'web', schema: { type: 'object' } };
    expect((await sluice.request('POST', '/applications', { token, json })).status).toBe(403);
    const stranger = await user();
    const foreign = await stranger.create({ scopes: ['read'], applications: [one] });
    expect([foreign.status, foreign.body.error.details[0].path]).toEqual([400, '/applications/0']);
  });

  it('uploads where a key is required, with the scope for it', async () => {
    const { token: login, create } = await user();
    const domain = await sluice.application(login);
    const path = `/applications/${domain}`;
    await sluice.request('PATCH', path, { token: login, json: { key_required: true } });
    const post = async (token: string, where = '/data', json: unknown = {}) =>
      (await sluice.request('POST', `${path}${where}`, { token, json })).status;
    const upload = await create({ scopes: ['upload'] });
    const write = await create({ scopes: ['read', 'write'] });
    expect([await post(upload.token), await post(upload.token, '/data/batch', [{}])]).toEqual([201, 201]);
    expect(await post(write.token)).toBe(403);
    expect(await statusWith(upload.token, `${path}/data`)).toBe(403);

    const reader = await user();
    const members = `${path}/members/${reader.username}`;
    const share = (role: string) => sluice.request('PUT', members, { token: login, json: { role } });
    await share('reader');
    const theirs = await reader.create({ scopes: ['upload'] });
    expect(await post(theirs.token)).toBe(403);
    await share('editor');
    expect(await post(theirs.token)).toBe(201);
    await sluice.request('DELETE', members, { token: login });
    await until(async () => (await post(theirs.token)) === 403, 5_000);
  });

  it('is revoked on every replica at once, for uploads within a second', async () => {
    const { token: login, create, revoke, list } = await user();
    const domain = await sluice.application(login);
    const path = `/applications/${domain}`;
    await sluice.request('PATCH', path, { token: login, json: { key_required: true } });
    const { id, token } = await create({ scopes: ['read', 'upload'] });
    const post = async () => (await replica.request('POST', `${path}/data`, { token, json: {} })).status;
    // The replica may know the application from before the change.
    await until(async () => (await post()) === 201);
    expect(await statusWith(token, '/applications', replica)).toBe(200);
    expect((await revoke(id)).status).toBe(200);
    expect(await statusWith(token, '/applications', replica)).toBe(401);
    await until(async () => (await post()) === 403, 5_000);
    expect(await list()).toEqual([]);
    expect((await revoke(id)).status).toBe(404);
  });

  it.each([
    [
      'a new password',
      ({ token }: { token: string }) =>
        sluice.request('PUT', '/users/me/password', {
          token,
          json: { old_password: password, new_password: 'better horse' },
        }),
    ],
    [
      'a user that is disabled, also when enabled again',
      async ({ username }: { username: string }) => {
        await admin(sluice.env, ['users', 'disable', username]);
        await admin(sluice.env, ['users', 'enable', username]);
      },
    ],
    [
      'a user that is deleted',
      ({ username }: { username: string }) => admin(sluice.env, ['users', 'delete', username]),
    ],
  ])('ends with %s', async (_what, act) => {
    const { token, username, create } = await user();
    const personal = await create({ scopes: ['read'] });
    expect(await statusWith(personal.token)).toBe(200);
    await act({ token, username });
    expect(await statusWith(personal.token)).toBe(401);
  });

  it.each([
    ['no scope', { scopes: [] }],
    ['an unknown scope', { scopes: ['admin'] }],
    ['a blank name', { scopes: ['read'], name: ' ' }],
    ['no application', { scopes: ['read'], applications: [] }],
    ['a time that is none', { scopes: ['read'], expires_at: 'soon' }],
    ['a leap second', { scopes: ['read'], expires_at: '2027-12-31T23:59:60Z' }],
  ])('with %s is refused', async (_what, json) => {
    const { create } = await user();
    expect((await create(json)).status).toBe(400);
  });
});
