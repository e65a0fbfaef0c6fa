import type { EntryDocument } from '@sluice/store/entries/entry-document.ts';
import { createKeysAt } from '@sluice/store/entries/entry-id.ts';
import { MongoClient } from 'mongodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exportClient } from '../support/export-client.ts';
import { startQuickWorker } from '../support/quick-start.ts';
import { type Answer, sharedSluice, startSluice, until } from '../support/sluice.ts';
import { ndjson, uploadClient } from '../support/upload-client.ts';

const start = Date.parse('2026-01-01T00:00:00Z');
const minuteMs = 60_000;
/** On a machine that is busy with other tests. */
const patientMs = 240_000;
const at = (minute: number) => new Date(start + minute * minuteMs).toISOString();

const sluice = await sharedSluice();
const { token } = await sluice.owner();

const ask = (method: string, path: string, options: object = {}): Promise<Answer> =>
  sluice.request(method, `/applications/${path}`, { token, ...options });
const listed = async (domain: string): Promise<{ id: string; payload: { n: number } }[]> =>
  (await ask('GET', `${domain}/data?limit=1000`)).body.data.result;
const numbers = async (domain: string) => (await listed(domain)).map(({ payload }) => payload.n);
const total = async (domain: string): Promise<number> =>
  (await ask('GET', `${domain}/data?limit=1`)).body.data.pagination.total;

/** An application with an entry in each of so many minutes of a past day. */
async function filled(
  count: number,
  payload = (n: number): object => ({ n }),
  url = sluice.env.MONGODB_URL as string,
): Promise<string> {
  const domain = await sluice.application(token);
  await fill(domain, count, payload, url);
  return domain;
}

async function fill(domain: string, count: number, payload: (n: number) => object, url: string) {
  const client = new MongoClient(url);
  onTestFinished(() => client.close());
  const application = await client.db().collection('applications').findOne({ domain });
  const keyAt = createKeysAt();
  const documents = Array.from({ length: count }, (_, n) => ({
    _id: keyAt(Buffer.from(String(application?._id), 'hex'), start + n * minuteMs),
    payload: payload(n) as EntryDocument['payload'],
  }));
  await client.db().collection<EntryDocument>('entries').insertMany(documents);
}

async function over(domain: string, id: string) {
  let job: Answer['body'];
  await until(async () => {
    job = (await ask('GET', `${domain}/deletions/${id}`)).body?.data;
    return job && !['waiting', 'active'].includes(job.state);
  }, patientMs);
  return job;
}

const asked = (domain: string, json: object, query = '', options: object = {}) =>
  ask('POST', `${domain}/deletions${query}`, { json, ...options });

async function deleteAll(domain: string, json: object) {
  const { status, body, text } = await asked(domain, json);
  expect(status, text).toBe(202);
  expect(body.data).toMatchObject({ kind: 'deletion', state: 'waiting' });
  return over(domain, body.data.id);
}

describe('an entry', () => {
  it('is read and deleted by its id', async () => {
    const domain = await sluice.application(token);
    const client = uploadClient(sluice, token);
    const id = (await client.upload(domain, '{"n":1}')).headers.get('entry-id') as string;
    await client.upload(domain, '{"n":2}');
    const path = `${domain}/data/${id}`;
    const found = await ask('GET', path);
    expect(found.status).toBe(200);
    const createdAt = expect.any(String);
    expect(found.body.data).toEqual({ id, domain, payload: { n: 1 }, createdAt });
    expect((await listed(domain)).at(-1)).toEqual(found.body.data);

    const deleted = await ask('DELETE', path);
    expect([deleted.status, deleted.body.data]).toEqual([200, { message: `entry ${id} was deleted` }]);
    for (const method of ['GET', 'DELETE']) {
      const { status, body } = await ask(method, path);
      expect([status, body.error.name]).toEqual([404, 'ResourceNotFoundError']);
      expect(body.error.message).toBe(`entry ${id} was not found`);
    }
    expect(await numbers(domain)).toEqual([2]);
    expect(await total(domain)).toBe(1);
    const { body } = await sluice.request('GET', '/users/me/activity', { token });
    expect(body.data.result[0]).toMatchObject({
      action: 'entry.deleted',
      application: domain,
      details: { entry: id },
    });
  });

  it('of another application, or of another owner, is not found', async () => {
    const [mine, other] = [await filled(1), await filled(1)];
    const [entry] = await listed(mine);
    const stranger = (await sluice.owner()).token;
    for (const method of ['GET', 'DELETE']) {
      expect((await ask(method, `${other}/data/${entry?.id}`)).status).toBe(404);
      expect((await ask(method, `${mine}/data/${entry?.id}`, { token: stranger })).status).toBe(404);
      expect((await ask(method, `${mine}/data/${entry?.id}`, { token: undefined })).status).toBe(401);
    }
    expect(await total(mine)).toBe(1);
  });

  it.each(['x', 'A'.repeat(28), '0'.repeat(27), '0'.repeat(29), 'g'.repeat(28)])(
    'has no such id: %s',
    async (id) => {
      const domain = await sluice.application(token);
      for (const method of ['GET', 'DELETE'])
        expect((await ask(method, `${domain}/data/${id}`)).status).toBe(400);
    },
  );

  it('that is deleted is stored anew by a retry of its upload', async () => {
    const domain = await sluice.application(token);
    const client = uploadClient(sluice, token);
    const followed = async (after = '') =>
      (await ask('GET', `${domain}/data?order=oldest${after && `&after=${after}`}`)).body.data;
    await client.upload(domain, '{"n":1}', 'key');
    await until(async () => (await followed()).result.length === 1);
    const { result, pagination } = await followed();
    await ask('DELETE', `${domain}/data/${result[0].id}`);
    expect((await client.upload(domain, '{"n":1}', 'key')).status).toBe(201);
    const [anew] = await listed(domain);
    expect(anew?.id).not.toBe(result[0].id);
    await until(async () => (await followed(pagination.cursor)).result[0]?.id === anew?.id);
  });
});

describe('a deletion', () => {
  it.each<[object, (n: number) => boolean]>([
    [{ from: at(10), to: at(20) }, (n) => n >= 10 && n < 20],
    [{ from: at(35) }, (n) => n >= 35],
    [{ to: at(3) }, (n) => n < 3],
    [{ filter: { n: { in: [0, 7, 39] } } }, (n) => [0, 7, 39].includes(n)],
    [{ from: at(10), filter: '{"n":{"lt":12}}' }, (n) => n === 10 || n === 11],
    [{ filter: { nothing: 1 } }, () => false],
    [{ from: '2100-01-01' }, () => false],
    [{ to: '2100-01-01' }, () => true],
  ])('takes what matches, as many as a dry run counts: %j', async (selection, isDeleted) => {
    const domain = await filled(40);
    const all = Array.from({ length: 40 }, (_, n) => n);
    const deleted = all.filter(isDeleted).length;
    const dry = await asked(domain, selection, '?dry_run=true');
    expect([dry.status, dry.body.data]).toEqual([200, { count: deleted }]);
    expect((await ask('GET', `${domain}/deletions`)).body.data).toEqual([]);
    expect(await total(domain)).toBe(40);
    expect(await deleteAll(domain, selection)).toMatchObject({
      state: 'completed',
      result: { deleted },
      progress: { done: deleted, total: deleted },
    });
    expect(await numbers(domain)).toEqual(all.filter((n) => !isDeleted(n)).reverse());
    expect(await total(domain)).toBe(40 - deleted);
  });

  it('compares numbers beyond 2^53 exactly', async () => {
    const domain = await sluice.application(token);
    const large = ['9007199254740993', '9007199254740992', '9007199254740994'];
    await uploadClient(sluice, token).batch(domain, large.map((n) => `{"n":${n}}`).join('\n'));
    const { body } = await asked(domain, {}, '', { json: undefined, body: `{"filter":{"n":${large[0]}}}` });
    expect(await over(domain, body.data.id)).toMatchObject({ result: { deleted: 1 } });
    const { text } = await ask('GET', `${domain}/data`);
    expect([...text.matchAll(/"n":(\d+)/g)].map(([, n]) => n).sort()).toEqual(large.slice(1));
  });

  it('leaves what is uploaded after it was asked for', async () => {
    const domain = await filled(5);
    const client = uploadClient(sluice, token);
    const { body } = await asked(domain, { to: '2100-01-01' });
    await client.upload(domain, '{"n":100}');
    await over(domain, body.data.id);
    expect(await numbers(domain)).toEqual([100]);
  });

  it('is refused without bounds, with a wrong filter, and to others', async () => {
    const domain = await filled(1);
    const stranger = (await sluice.owner()).token;
    for (const query of ['', '?dry_run=true']) {
      const refused = [
        await asked(domain, {}, query),
        await asked(domain, { filter: 'x' }, query),
        await asked(domain, { from: at(2), to: at(1) }, query),
        await asked(domain, { from: null }, query),
        await asked(domain, { start: 1 }, query),
        await asked(domain, { from: at(0) }, query, { token: stranger }),
        await asked(domain, { from: at(0) }, query, { token: undefined }),
      ];
      expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400, 404, 401]);
      const message = 'name what to delete: one of from, to and filter is needed';
      expect(refused[0]?.body.error.message).toBe(message);
    }
    expect(await total(domain)).toBe(1);
    expect((await ask('GET', `${domain}/deletions`)).body.data).toEqual([]);
  });

  it.each([{ filter: {} }, { filter: '{ }' }, { filter: {}, from: at(0) }, { filter: {}, to: at(9) }])(
    'is refused with a filter that has no condition: %j',
    async (selection) => {
      const domain = await filled(2);
      for (const query of ['', '?dry_run=true']) {
        const { status, body } = await asked(domain, selection, query);
        expect([status, body.error?.name]).toEqual([400, 'InvalidRequestError']);
        expect(body.error.message).toMatch(/^`filter` has no condition/);
      }
      expect((await ask('GET', `${domain}/deletions`)).body.data).toEqual([]);
    },
  );

  it.each(['DELETE', 'PUT', 'PATCH', 'PROPFIND'])(
    'is not asked for on the path of the entries: %s',
    async (method) => {
      const domain = await filled(1);
      const { status, headers } = await ask(method, `${domain}/data?to=2100-01-01`);
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
      expect((await ask('GET', `${domain}/deletions`)).body.data).toEqual([]);
    },
  );

  it('is a job like others: listed, cancelled, in the audit log', async () => {
    const domain = await filled(3);
    const { body } = await asked(domain, { from: at(0) });
    await over(domain, body.data.id);
    const jobs = (await ask('GET', `${domain}/deletions`)).body.data;
    expect(jobs.map(({ id }: { id: string }) => id)).toEqual([body.data.id]);
    const removed = await ask('DELETE', `${domain}/deletions/${body.data.id}`);
    expect(removed.body.data).toEqual({ message: `deletion ${body.data.id} was removed` });
    const events = (await sluice.request('GET', '/users/me/activity?limit=2', { token })).body.data.result;
    expect(events.map(({ action }: { action: string }) => action)).toEqual([
      'deletion.removed',
      'deletion.made',
    ]);
  });
});

it('an export says when entries of its period were deleted while it was made', async () => {
  const one = await startSluice({ workers: false });
  onTestFinished(() => one.stop());
  const owner = await one.owner();
  const client = exportClient(one.url, owner.token);
  const domain = await one.application(owner.token, {
    type: 'object',
    properties: { n: { type: 'integer' } },
  });
  await fill(domain, 40, (n) => ({ n }), one.env.MONGODB_URL as string);
  const [all, before, after] = await Promise.all(
    [{}, { to: at(20) }, { from: at(21) }].map((options) => client.create(domain, options)),
  );
  const { result } = (
    await one.request('GET', `/applications/${domain}/data?limit=40`, { token: owner.token })
  ).body.data;
  const id = result.find(({ payload }: { payload: { n: number } }) => payload.n === 20).id;
  await one.request('DELETE', `/applications/${domain}/data/${id}`, { token: owner.token });
  const later = await client.create(domain);

  await startQuickWorker('export-worker', one.env);
  const told = async (job: string | undefined) => (await client.over(domain, job as string)).file;
  expect(await told(all)).toMatchObject({ rows: 39, deleted_meanwhile: true });
  for (const [job, rows] of [
    [before, 20],
    [after, 19],
    [later, 39],
  ] as const) {
    const file = await told(job);
    expect(file.rows).toBe(rows);
    expect(file).not.toHaveProperty('deleted_meanwhile');
  }
});

it('retention is set, shown and taken away', async () => {
  const domain = await sluice.application(token);
  const shown = async () => (await ask('GET', domain)).body.data.retention_days;
  const set = (retention_days: unknown) => ask('PATCH', domain, { json: { retention_days } });
  expect(await shown()).toBeNull();
  expect((await set(30)).body.data.retention_days).toBe(30);
  await ask('PATCH', domain, { json: { name: 'Other' } });
  expect(await shown()).toBe(30);
  for (const wrong of [0, 3_651, 1.5, '7', -1]) expect((await set(wrong)).status).toBe(400);
  expect((await set(null)).body.data.retention_days).toBeNull();
  expect(await shown()).toBeNull();
});

it('uploads that come while entries are deleted are all kept', async () => {
  const domain = await filled(5_000);
  const client = uploadClient(sluice, token);
  const { body } = await asked(domain, { to: at(100_000) });
  const batches = 20;
  for (let sent = 0; sent < batches; sent++) {
    const payloads = Array.from({ length: 50 }, (_, i) => ({ n: 1_000_000 + 50 * sent + i }));
    expect((await client.batch(domain, ndjson(payloads))).status).toBe(201);
  }
  expect(await over(domain, body.data.id)).toMatchObject({ result: { deleted: 5_000 } });
  expect(await total(domain)).toBe(50 * batches);
});
