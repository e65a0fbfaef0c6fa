import { describe, expect, it } from 'vitest';
import { admin } from '../support/admin-command.ts';
import { sharedSluice, startSluice, statusOf } from '../support/sluice.ts';

const sluice = await sharedSluice();

type Owner = Awaited<ReturnType<typeof sluice.owner>>;

async function shared(role: 'reader' | 'editor' = 'reader') {
  const [owner, member] = await Promise.all([sluice.owner(), sluice.owner()]);
  const domain = await sluice.application(owner.token);
  const path = `/applications/${domain}`;
  const share = (user: Owner, as: string) =>
    sluice.request('PUT', `${path}/members/${user.username}`, { token: owner.token, json: { role: as } });
  const listed = async () =>
    (await sluice.request('GET', `${path}/members`, { token: owner.token })).body.data;
  expect((await share(member, role)).status).toBe(200);
  return { owner, member, domain, path, share, listed };
}

describe('members', () => {
  it('are listed behind the owner, and a role can be changed', async () => {
    const { owner, member, share, listed } = await shared('reader');
    const [first, second] = await listed();
    expect(first).toMatchObject({ username: owner.username, role: 'owner' });
    expect(second).toMatchObject({ username: member.username, role: 'reader' });
    expect((await share(member, 'editor')).body.data).toEqual({ ...second, role: 'editor' });
    expect(await listed()).toHaveLength(2);
  });

  it('find the application among those that are shared with them, with their role', async () => {
    const { owner, member, domain, path } = await shared('editor');
    const list = async (query: string, { token }: Owner) =>
      (await sluice.request('GET', `/applications${query}`, { token })).body.data;
    expect(await list('', member)).toEqual([]);
    expect(await list('?shared=true', member)).toMatchObject([
      { domain, owner: owner.username, role: 'editor' },
    ]);
    expect(await list('', owner)).toMatchObject([{ domain, role: 'owner' }]);
    expect(await list('?shared=true', owner)).toEqual([]);
    expect((await sluice.request('GET', path, { token: member.token })).body.data.role).toBe('editor');
  });

  it('lose all rights at once when they are removed, or leave', async () => {
    const { owner, member, path } = await shared('editor');
    const get = (token: string) => sluice.request('GET', `${path}/data`, { token });
    expect((await get(member.token)).status).toBe(200);
    const remove = (token: string) =>
      sluice.request('DELETE', `${path}/members/${member.username}`, { token });
    expect((await remove(member.token)).status).toBe(200);
    const none = await sluice.request('GET', '/applications/no-such-application/data', {
      token: member.token,
    });
    const after = await get(member.token);
    expect([after.status, after.body.error.name]).toEqual([404, none.body.error.name]);
    expect((await remove(owner.token)).status).toBe(404);
  });

  it('may not change how long entries are kept, nor see refused uploads as readers', async () => {
    const { member, path, share } = await shared('editor');
    const { token } = member;
    const patch = (json: object) => sluice.request('PATCH', path, { token, json });
    expect((await patch({ retention_days: 1 })).status).toBe(403);
    expect((await patch({ name: 'Renamed' })).status).toBe(200);
    const live = () =>
      statusOf(`${sluice.url}/api${path}/data/live?refused=true`, {
        headers: { authorization: `Bearer ${token}` },
      });
    expect(await live()).toBe(200);
    await share(member, 'reader');
    expect(await live()).toBe(403);
  });

  it('are told what they would need', async () => {
    const { member, domain, path } = await shared('reader');
    const { status, body } = await sluice.request('POST', `${path}/keys`, {
      token: member.token,
      json: { name: 'n' },
    });
    expect([status, body.error.message]).toEqual([
      403,
      `you are a reader of ${domain}; this needs an editor`,
    ]);
  });

  it.each([
    ['a user that does not exist', 'nobody-here', 404],
    ['a name in another case', undefined, 200],
  ])('%s', async (_what, name, status) => {
    const { owner, member, path } = await shared('reader');
    const username = name ?? member.username.toUpperCase();
    const json = { role: 'editor' };
    const put = await sluice.request('PUT', `${path}/members/${username}`, { token: owner.token, json });
    expect(put.status).toBe(status);
  });

  it('are those of ten requests at once, each once', async () => {
    const { member, share, listed } = await shared('reader');
    const others = await Promise.all(Array.from({ length: 5 }, () => sluice.owner()));
    await Promise.all([...others, ...others, member].map((user) => share(user, 'editor')));
    const names = (await listed()).map(({ username }: { username: string }) => username);
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
    expect(names).toHaveLength(7);
  });

  it('go with a user who is deleted, and a new owner is no member', async () => {
    const { member, domain } = await shared('editor');
    const third = await sluice.owner();
    const run = (...args: string[]) => admin(sluice.env, args);
    await run('applications', 'transfer', domain, member.username);
    const token = member.token;
    const after = await sluice.request('GET', `/applications/${domain}/members`, { token });
    expect(after.body.data).toMatchObject([{ username: member.username, role: 'owner' }]);
    await sluice.request('PUT', `/applications/${domain}/members/${third.username}`, {
      token,
      json: { role: 'reader' },
    });
    await run('users', 'delete', third.username);
    const left = await sluice.request('GET', `/applications/${domain}/members`, { token });
    expect(left.body.data).toHaveLength(1);
  });
});

it('USERS_VISIBLE=off lists oneself and those with whom one shares; a look-up by name stays', async () => {
  const { owner, member, path } = await shared('reader');
  const [stranger, other] = await Promise.all([sluice.owner(), sluice.owner()]);
  await sluice.request('PUT', `${path}/members/${other.username}`, {
    token: owner.token,
    json: { role: 'reader' },
  });
  const hidden = await startSluice({ workers: false, env: { ...sluice.env, USERS_VISIBLE: 'off' } });
  try {
    const names = async ({ token }: Owner) =>
      (await hidden.request('GET', '/users', { token })).body.data.map(
        ({ username }: { username: string }) => username,
      );
    const among = [owner, member, other].map(({ username }) => username).toSorted();
    for (const user of [owner, member]) expect((await names(user)).toSorted()).toEqual(among);
    expect(await names(stranger)).toEqual([stranger.username]);
    const found = await hidden.request('GET', `/users/${owner.username}`, { token: stranger.token });
    expect(found.status).toBe(200);
  } finally {
    await hidden.stop();
  }
});
