import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { admin } from '../support/admin-command.ts';
import { quickPurges, type Sluice, startSluice, storeOf, until } from '../support/sluice.ts';

let sluice: Sluice;
let token: string;
let username: string;

beforeAll(async () => {
  const env = { DELETION_GRACE: '7d', APPLICATION_QUOTA: '2', ENTRY_QUOTA: '3' };
  sluice = await startSluice({ env, workerEnv: quickPurges });
});
afterAll(() => sluice.stop());

const withOwner = async () => {
  ({ token, username } = await sluice.owner());
};
const upload = (domain: string, n = 1) =>
  sluice.request('POST', `/applications/${domain}/data`, { json: { n } });
const remove = (domain: string) => sluice.request('DELETE', `/applications/${domain}`, { token });
const restore = (domain: string, by = token) =>
  sluice.request('POST', `/applications/${domain}/restore`, { token: by });
const list = async (query = '') =>
  (await sluice.request('GET', `/applications${query}`, { token })).body.data as { domain: string }[];
const domainsOf = (found: { domain: string }[]) => found.map(({ domain }) => domain);

/** As if the time for a restore were over. */
async function end(domain: string): Promise<void> {
  const client = new MongoClient(sluice.env.MONGODB_URL as string);
  onTestFinished(() => client.close());
  await client
    .db()
    .collection('applications')
    .updateOne({ domain }, { $set: { purgeAt: new Date(0) } });
}

it('takes a deleted application back with all that it had', async () => {
  await withOwner();
  const domain = await sluice.application(token, { type: 'object', properties: { n: { type: 'integer' } } });
  await upload(domain);
  const before = (await sluice.request('GET', `/applications/${domain}`, { token })).body.data;
  const { body: removed } = await remove(domain);
  const [deleted] = (await list('?deleted=true')) as { deleted_at?: string; purge_at?: string }[];
  const { deleted_at, purge_at, ...rest } = deleted ?? {};
  expect(rest).toEqual(before);
  expect(removed.data.message).toBe(
    `application ${domain} was deleted; you can restore it until ${purge_at}`,
  );
  const day = 86_400_000;
  expect(Date.parse(purge_at as string) - Date.parse(deleted_at as string)).toBe(7 * day);

  expect(await list()).toEqual([]);
  await until(async () => (await upload(domain)).status === 404);
  for (const path of ['', '/data', '/exports', '/keys'])
    expect((await sluice.request('GET', `/applications/${domain}${path}`, { token })).status).toBe(404);
  expect((await remove(domain)).status).toBe(404);

  const other = await sluice.owner();
  expect((await restore(domain, other.token)).status).toBe(404);
  const restored = await restore(domain);
  expect([restored.status, restored.body.data]).toEqual([200, before]);
  expect((await restore(domain)).body.data).toEqual(before);
  expect(domainsOf(await list())).toEqual([domain]);
  expect(await list('?deleted=true')).toEqual([]);
  expect((await upload(domain, 2)).status).toBe(201);
  const { body } = await sluice.request('GET', `/applications/${domain}/data`, { token });
  expect(body.data.result.map(({ payload }: { payload: unknown }) => payload)).toEqual([{ n: 2 }, { n: 1 }]);
  const audit = await sluice.request('GET', '/users/me/activity', { token });
  const actions = audit.body.data.result.map(({ action }: { action: string }) => action);
  expect(actions.slice(0, 2)).toEqual(['application.restored', 'application.deleted']);
});

it('cancels jobs that are not finished', async () => {
  await withOwner();
  const domain = await sluice.application(token);
  const store = storeOf(sluice);
  const application = await store.applications.byDomain(domain);
  if (!application) throw new Error('none');
  await remove(domain);
  // As one that waited for a worker until then.
  const { id } = await store.jobs.exports.create({
    application: application.id,
    owner: application.owner.id,
    domain,
    version: 1,
    leafCount: 0,
    transient: false,
    options: { format: 'csv', formulas: 'escape', arrays: 'json' },
  });
  await until(async () => (await store.jobs.get(id))?.state === 'cancelled');
  await restore(domain);
  const { body } = await sluice.request('GET', `/applications/${domain}/exports/${id}`, { token });
  expect(body.data.state).toBe('cancelled');
});

it('purges it when the time is over, and then restores nothing', async () => {
  await withOwner();
  const domain = await sluice.application(token);
  const store = storeOf(sluice);
  const id = (await store.applications.byDomain(domain))?.id as string;
  await upload(domain);
  await remove(domain);
  expect(await store.applications.unpurged(10)).toEqual([]);
  await end(domain);
  await until(async () => (await store.entries.count(id, {})) === 0);
  expect((await restore(domain)).status).toBe(404);
  expect(await list('?deleted=true')).toEqual([]);
});

it('counts the entries until the purge begins, and the application again once it is restored', async () => {
  await withOwner();
  const [first, second] = [await sluice.application(token), await sluice.application(token)];
  for (const n of [1, 2, 3]) await upload(first, n);
  await remove(first);
  // Imports look at once, uploads every few seconds.
  const imported = () =>
    sluice.request('POST', `/applications/${second}/imports`, { token, json: [{ n: 1 }] });
  expect((await imported()).body.error.message).toMatch(/limit of 3 entries; delete some/);
  const third = await sluice.application(token);
  expect((await restore(first)).body.error.message).toMatch(/limit of 2 applications/);
  await remove(third);
  expect((await restore(first)).status).toBe(200);
  await remove(first);
  await end(first);
  await until(async () => (await imported()).status === 202);
});

it('is restored by the operator too, and gone at once with its owner', async () => {
  await withOwner();
  const [one, two] = [await sluice.application(token), await sluice.application(token)];
  await remove(one);
  await remove(two);
  const command = (...args: string[]) => admin(sluice.env, args);
  const listed = await command('applications', 'list', '--deleted', '--owner', username, '--json');
  expect(domainsOf(JSON.parse(listed.stdout))).toEqual([two, one]);
  expect((await command('applications', 'restore', one)).code).toBe(0);
  expect(domainsOf(await list())).toEqual([one]);
  const again = await command('applications', 'restore', one);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('cannot be restored')]);

  const { applications } = storeOf(sluice);
  const id = (await applications.byDomain(one))?.id as string;
  const { stderr, code } = await command('users', 'delete', username, '--with-applications');
  expect([code, stderr]).toEqual([0, expect.stringContaining('was deleted')]);
  expect((await command('applications', 'list', '--deleted')).stdout).not.toContain(username);
  await until(async () => (await applications.unpurged(10)).length === 0);
  expect(await applications.tombstone(id)).toBeUndefined();
});
