import { expect, it } from 'vitest';
import { admin } from '../support/admin-command.ts';
import { type Call, sharedSluice, storeOf, until } from '../support/sluice.ts';

const sluice = await sharedSluice();

/** An application with an editor and a reader, and what calls its views. */
async function scene() {
  const [owner, editor, reader] = await Promise.all([sluice.owner(), sluice.owner(), sluice.owner()]);
  const domain = await sluice.application(owner.token);
  const path = `/applications/${domain}`;
  const call = (method: string, where: string, { token }: { token: string }, options: Call = {}) =>
    sluice.request(method, `${path}${where}`, { token, ...options });
  for (const [role, { username }] of Object.entries({ editor, reader }))
    await call('PUT', `/members/${username}`, owner, { json: { role } });
  const save = (user: { token: string }, name: string, shared?: boolean) =>
    call('POST', '/views', user, { json: { name, query: `filter=eq:/n:${name}`, shared } });
  const names = async (user: { token: string }) => {
    const { status, body } = await call('GET', '/views', user);
    return body.data?.map(({ name }: { name: string }) => name) ?? status;
  };
  return { owner, editor, reader, domain, call, save, names };
}

it('keeps views for a member alone, or for all', async () => {
  const { owner, editor, reader, call, save, names } = await scene();
  const made = (await save(editor, 'warm', true)).body.data;
  expect(made).toEqual({
    id: made.id,
    name: 'warm',
    query: 'filter=eq:/n:warm',
    shared: true,
    createdAt: expect.any(String),
    createdBy: editor.username,
  });
  await save(reader, 'mine');
  await save(owner, 'cold');
  expect(await names(reader)).toEqual(['mine', 'warm']);
  expect(await names(owner)).toEqual(['cold', 'warm']);
  expect(await names(await sluice.owner())).toBe(404);

  const json = { name: 'hot', query: 'last=24h', shared: true };
  const one = `/views/${made.id}`;
  expect((await call('PUT', one, reader, { json })).status).toBe(403);
  expect((await call('DELETE', one, reader)).status).toBe(403);
  expect((await call('PUT', one, owner, { json })).body.data).toEqual({ ...made, ...json });
  expect(await names(reader)).toEqual(['hot', 'mine']);
  // It is not taken from who saved it.
  expect((await call('PUT', one, owner, { json: { ...json, shared: false } })).status).toBe(403);
  expect((await call('PUT', one, editor, { json: { ...json, shared: false } })).body.data.shared).toBe(false);
  expect(await names(owner)).toEqual(['cold']);
  expect((await call('PUT', one, editor, { json })).status).toBe(200);
  expect((await call('DELETE', one, owner)).status).toBe(200);
  expect((await call('DELETE', one, owner)).status).toBe(404);
});

it('lets a reader share nothing, and shows the private views of others to nobody', async () => {
  const { owner, editor, reader, call, save, names } = await scene();
  expect((await save(reader, 'all', true)).status).toBe(403);
  const { id } = (await save(reader, 'mine')).body.data;
  const json = { name: 'mine', query: '', shared: true };
  expect((await call('PUT', `/views/${id}`, reader, { json })).status).toBe(403);
  for (const user of [owner, editor]) {
    expect((await call('PUT', `/views/${id}`, user, { json })).status).toBe(404);
    expect((await call('DELETE', `/views/${id}`, user)).status).toBe(404);
  }
  const own = { name: 'ours', query: '' };
  expect((await call('PUT', `/views/${id}`, reader, { json: own })).body.data.shared).toBe(false);
  expect(await names(reader)).toEqual(['ours']);
  for (const bad of [
    { name: 'x', query: 'last=24h #' },
    { name: 'x', query: 'last=24h#x' },
    { name: 'a\r\nb', query: '' },
    { name: '\u202eab', query: '' },
  ])
    expect((await call('POST', '/views', reader, { json: bad })).status).toBe(400);
});

it('keeps names apart among shared views, and among those of each member', async () => {
  const { owner, editor, call, save } = await scene();
  const { id } = (await save(owner, 'a', true)).body.data;
  for (const user of [owner, editor]) expect((await save(user, 'a')).status).toBe(200);
  const again = await save(editor, 'a', true);
  expect([again.status, again.body.error.message]).toEqual([409, 'there is a shared view with the name a']);
  const json = { name: 'a', query: '', shared: false };
  expect((await call('PUT', `/views/${id}`, owner, { json })).status).toBe(409);
});

it('tells members of shared views alone', async () => {
  const { owner, editor, call, save } = await scene();
  const shared = (await save(owner, 'open', true)).body.data;
  const own = (await save(owner, 'secret')).body.data;
  for (const { id } of [shared, own]) await call('DELETE', `/views/${id}`, owner);
  const { body } = await call('GET', '/activity', editor);
  const told = body.data.result.filter(({ action }: { action: string }) => action.startsWith('view.'));
  expect(told).toMatchObject([
    { action: 'view.deleted', before: { name: 'open' } },
    { action: 'view.saved', after: { name: 'open' } },
  ]);
  expect(JSON.stringify(body)).not.toContain('secret');
});

it('keeps at most 100 shared views, and 100 of each member', async () => {
  const { owner, editor, call, save, names } = await scene();
  for (const shared of [true, false]) {
    const saved = await Promise.all(Array.from({ length: 101 }, (_, n) => save(owner, `v${n}`, shared)));
    const refused = saved.find(({ status }) => status === 429);
    expect(refused?.body.error.message).toContain(shared ? '100 shared views' : '100 private views');
  }
  expect((await save(editor, 'mine')).status).toBe(200);
  // Several at once may all have been refused at the end.
  for (let n = 0; (await save(owner, `more-${n}`, true)).status !== 429; n++);
  const all = await names(owner);
  const { body } = await call('GET', '/views', editor);
  const mine = body.data.find(({ shared }: { shared: boolean }) => !shared);
  const json = { name: 'another', query: '', shared: true };
  expect((await call('PUT', `/views/${mine.id}`, editor, { json })).status).toBe(429);
  expect((await call('GET', '/views', editor)).body.data).toEqual(body.data);
  expect(await names(owner)).toEqual(all);
});

it('removes views with their application, their member and their user, not with a change of the owner', async () => {
  const { owner, editor, reader, domain, call, save, names } = await scene();
  const store = storeOf(sluice);
  await save(owner, 'shared', true);
  for (const user of [editor, reader]) await save(user, 'mine');
  await call('DELETE', `/members/${reader.username}`, owner);
  await call('PUT', `/members/${reader.username}`, owner, { json: { role: 'reader' } });
  expect(await names(reader)).toEqual(['shared']);
  expect(await admin(sluice.env, ['applications', 'transfer', domain, editor.username])).toMatchObject({
    code: 0,
  });
  await until(async () => (await names(editor)).length === 2);
  expect(await names(editor)).toEqual(['mine', 'shared']);
  const { id = '' } = (await store.applications.byDomain(domain)) ?? {};
  const { id: user = '' } = (await store.users.byName(reader.username)) ?? {};
  const stored = async () => (await store.savedViews.list(id, user)).map(({ name }) => name);
  await save(reader, 'mine');
  expect(await stored()).toEqual(['mine', 'shared']);
  expect(await admin(sluice.env, ['users', 'delete', reader.username])).toMatchObject({ code: 0 });
  expect(await stored()).toEqual(['shared']);
  await call('DELETE', '', editor);
  await until(async () => (await stored()).length === 0);
});
