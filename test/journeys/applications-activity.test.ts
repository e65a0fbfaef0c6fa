import { BSON, MongoClient, ObjectId } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { celsiusSchema, refusedClient } from '../support/refused-client.ts';
import { sharedSluice, storeOf, until } from '../support/sluice.ts';
import { uploadClient } from '../support/upload-client.ts';

const sluice = await sharedSluice();
const { token } = await sluice.owner();

const none = {
  entries: 0,
  entries_24h: 0,
  last_entry_at: null,
  refused_24h: 0,
  failing: { webhooks: 0, archives: 0, jobs: 0 },
};

it('an application says how many entries it has, when the newest came, and how many were refused', async () => {
  const schema = JSON.stringify(celsiusSchema);
  const made = await sluice.request('POST', '/applications', {
    token,
    json: { name: 'A', type: 'web', schema },
  });
  expect(made.body.data).toMatchObject(none);
  const { domain } = made.body.data;
  const path = `/applications/${domain}`;
  const empty = await sluice.application(token);
  const { upload } = uploadClient(sluice, token);
  const ids: string[] = [];
  for (const celsius of [1, 2, 3])
    ids.push((await upload(domain, JSON.stringify({ celsius }))).headers.get('entry-id') as string);
  const refusals = refusedClient(sluice, token, domain);
  for (const celsius of ['a', 'b']) await refusals.refuse({ celsius });
  await refusals.untilCounted(2);

  const createdAt = async (id: string) =>
    (await sluice.request('GET', `${path}/data/${id}`, { token })).body.data.createdAt;
  async function expectActivity(expected: object) {
    const one = await sluice.request('GET', path, { token });
    expect(one.body.data).toMatchObject(expected);
    const { body } = await sluice.request('GET', '/applications', { token });
    const listed = body.data.filter((each: { domain: string }) => [domain, empty].includes(each.domain));
    expect(listed).toMatchObject([none, expected]);
  }
  await expectActivity({
    entries: 3,
    entries_24h: 3,
    last_entry_at: await createdAt(ids[2] as string),
    refused_24h: 2,
  });
  await sluice.request('DELETE', `${path}/data/${ids[2]}`, { token });
  await expectActivity({
    entries: 2,
    entries_24h: 2,
    last_entry_at: await createdAt(ids[1] as string),
    refused_24h: 2,
  });
  const published = await sluice.request('POST', `${path}/schemas`, {
    token,
    json: { schema: { type: 'object' } },
  });
  expect(published.body.data.application).toMatchObject({ entries: 2, refused_24h: 2 });
  for (const id of ids) await sluice.request('DELETE', `${path}/data/${id}`, { token });
  await until(async () => (await uploadClient(sluice, token).count(domain)) === 0);
  await expectActivity({ entries: 0, entries_24h: 0, last_entry_at: null, refused_24h: 2 });
});

it('an application says the bytes of its payloads where that is asked, exactly', async () => {
  const domain = await sluice.application(token);
  const { upload } = uploadClient(sluice, token);
  const bytes = async (query: string) =>
    (await sluice.request('GET', `/applications/${domain}${query}`, { token })).body.data.bytes;
  expect([await bytes(''), await bytes('?bytes=true')]).toEqual([undefined, 0]);
  const payloads = [{ place: 'Oslo' }, { celsius: 21.5, tags: ['a', null] }];
  for (const payload of payloads) await upload(domain, JSON.stringify(payload));
  expect(await bytes('?bytes=true')).toBe(
    payloads.reduce((sum, payload) => sum + BSON.calculateObjectSize(payload), 0),
  );
});

it('an application says to editors how many of its parts fail', async () => {
  const domain = await sluice.application(token);
  const path = `/applications/${domain}`;
  const store = storeOf(sluice);
  const client = new MongoClient(sluice.env.MONGODB_URL ?? '');
  onTestFinished(() => client.close());
  const { id = '', owner } = (await store.applications.byDomain(domain)) ?? {};
  const people = { editor: await sluice.owner(), reader: await sluice.owner() };
  for (const [role, { username }] of Object.entries(people))
    await sluice.request('PUT', `${path}/members/${username}`, { token, json: { role } });
  const json = { url: 'https://sluice.invalid/', events: ['export.failed'] };
  for (let n = 0; n < 3; n++) await sluice.request('POST', `${path}/webhooks`, { token, json });
  const [first, second] = await store.webhooks.list(id);
  const set = (which: { id: string } | undefined, $set: object) =>
    client
      .db()
      .collection('webhooks')
      .updateOne({ _id: new ObjectId(which?.id) }, { $set });
  await set(first, { state: 'disabled', reason: 'no answer' });
  // Nobody has this name.
  await sluice.request('POST', `${path}/webhooks/${second?.id}/ping`, { token });
  const options = { path: '/n' };
  const job = await store.jobs.create<'unique'>({
    application: id,
    owner: owner?.id ?? '',
    domain,
    kind: 'unique',
    options,
  });
  await client
    .db()
    .collection('jobs')
    .updateOne({ _id: new ObjectId(job.id) }, { $set: { state: 'failed', finishedAt: new Date() } });
  const failing = async (query: string, user: { token: string }) => {
    const { body } = await sluice.request('GET', query, user);
    const found = [body.data].flat().find((one: { domain: string }) => one.domain === domain);
    return found.failing;
  };
  const all = { webhooks: 2, archives: 0, jobs: 1 };
  await until(async () => (await failing(path, { token })).webhooks === 2);
  expect(await failing(path, { token })).toEqual(all);
  expect(await failing('/applications', { token })).toEqual(all);
  expect(await failing(path, people.editor)).toEqual(all);
  expect(await failing('/applications?shared=true', people.reader)).toBeUndefined();
});
