import { createHash } from 'node:crypto';
import { hashUniqueValue } from '@sluice/store/entries/once.ts';
import { Binary, MongoClient } from 'mongodb';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { importClient } from '../support/import-client.ts';
import { refusedClient } from '../support/refused-client.ts';
import { sharedSluice, startSluice, storeOf, until, untilTaken } from '../support/sluice.ts';
import { ndjson, type UploadClient, uploadClient } from '../support/upload-client.ts';

const sluice = await sharedSluice();
const { token } = await sluice.owner();
/** Another API on the same stores. */
const second = await startSluice({ workers: false, env: sluice.env });
afterAll(() => second.stop());
const clients = [sluice, second].map((of) => uploadClient(of, token));
const one = clients[0] as UploadClient;

const schema = {
  type: 'object',
  properties: { id: { type: 'string' }, n: { type: 'integer' } },
  required: ['id'],
};
const path = () => `/applications/${domain}`;
const patch = (unique: unknown, of = token) =>
  sluice.request('PATCH', path(), { token: of, json: { unique } });
const publish = (given: object, query = '') =>
  sluice.request('POST', `${path()}/schemas${query}`, { token, json: { schema: given } });

let domain: string;
beforeEach(async () => {
  const json = { name: 'Test', type: 'other', schema, unique: { path: '/id' } };
  domain = (await sluice.request('POST', '/applications', { token, json })).body.data.domain;
});

const upload = (payload: unknown, key?: string, via = one) =>
  via.upload(domain, JSON.stringify(payload), key);
const batch = (payloads: unknown[], query = '', headers = {}) =>
  one.batch(domain, ndjson(payloads), { query, headers });
const idOf = ({ headers }: { headers: Headers }) => headers.get('entry-id');

describe('the setting', () => {
  it('is shown, changed and taken away', async () => {
    const shown = async () => (await sluice.request('GET', path(), { token })).body.data.unique;
    expect(await shown()).toEqual({ path: '/id' });
    expect((await patch({ path: '/id', days: 30 })).body.data.unique).toEqual({ path: '/id', days: 30 });
    expect((await patch(null)).body.data.unique).toBeNull();
    expect(await shown()).toBeNull();
  });

  it('that changes gives values to what another replica stores before it knows', async () => {
    await patch(null);
    const { body } = await patch({ path: '/id' });
    expect(body.data.warnings).toBeUndefined();
    const listed = await sluice.request('GET', `${path()}/unique`, { token });
    expect(listed.body.data).toMatchObject([{ kind: 'unique' }]);
  });

  it.each([
    ['/n', '/n is not required by the schema: add it to "required"'],
    ['/other', '/other is not among the properties of the schema'],
    ['id', 'body/unique/path'],
  ])('%s is refused with the reason', async (path, reason) => {
    const { status, body } = await patch({ path });
    expect([status, body.error.name]).toEqual([400, 'InvalidRequestError']);
    expect(body.error.message).toContain(reason);
    const json = { name: 'Test', type: 'other', schema, unique: { path } };
    expect((await sluice.request('POST', '/applications', { token, json })).status).toBe(400);
  });

  it('is the owner’s alone', async () => {
    const editor = await sluice.owner();
    const member = `${path()}/members/${editor.username}`;
    await sluice.request('PUT', member, { token, json: { role: 'editor' } });
    expect((await patch(null, editor.token)).status).toBe(403);
  });

  it('keeps schemas under which the member can be missing from being published', async () => {
    for (const query of ['', '?dry_run=true']) {
      const { status, body } = await publish({ ...schema, required: [] }, query);
      expect([status, body.error.name]).toEqual([422, 'InvalidSchemaError']);
      expect(body.error.message).toContain('/id is not required by the schema');
    }
    expect((await publish({ ...schema, title: 'Other' })).status).toBe(200);
  });

  it('is obeyed by every replica within a second', async () => {
    await upload({ id: 'a', n: 1 });
    await patch(null);
    await until(async () => (await upload({ id: 'a', n: 2 }, undefined, clients[1])).status === 201, 1_000);
    expect(await one.count(domain)).toBe(2);
  });
});

describe('an upload', () => {
  it('with the same payload is answered with the first entry, with another it is refused', async () => {
    const first = await upload({ id: 'a', n: 1 });
    for (const via of clients) {
      const again = await via.upload(domain, '{"n":1.0, "id":"a"}');
      expect([again.status, idOf(again)]).toEqual([201, idOf(first)]);
      const other = await upload({ id: 'a', n: 2 }, undefined, via);
      expect([other.status, other.body.error.name]).toEqual([409, 'ResourceConflictError']);
      expect(other.body.error.message).toContain('with this value of /id');
      expect(other.body.error.details).toMatchObject([{ path: '/id', keyword: 'unique' }]);
    }
    expect(await one.count(domain)).toBe(1);
  });

  it('that comes forty times at once is stored once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        untilTaken(() =>
          upload({ id: 'a' }, n % 3 ? undefined : `key ${n}`.replace(' ', '-'), clients[n % 2]),
        ),
      ),
    );
    expect(new Set(answers.map((answer) => `${answer.status} ${idOf(answer)}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(201);
    expect(await one.count(domain)).toBe(1);
  });

  it('with an Idempotency-Key is one by the key too', async () => {
    const first = await upload({ id: 'a' }, 'key');
    const again = await upload({ id: 'a' }, 'key');
    expect([again.status, idOf(again)]).toEqual([201, idOf(first)]);
    expect((await upload({ id: 'b' }, 'key')).status).toBe(409);
    // The key counts also where the schema refuses the payload.
    for (const [key, status] of [
      ['key', 409],
      ['new', 422],
    ] as const)
      expect((await upload({ id: 'a', n: 'x' }, key)).status).toBe(status);
    expect(idOf(await upload({ id: 'a' }, 'other'))).toBe(idOf(first));
    expect(await one.count(domain)).toBe(1);
  });

  it('tells numbers, texts and booleans apart', async () => {
    const any = { ...schema, properties: { id: { type: ['string', 'number', 'boolean'] } } };
    expect((await publish(any)).status).toBe(200);
    await until(async () => (await upload({ id: 1 })).status === 201);
    for (const id of ['1', true, 'true', 9007199254740993n.toString()])
      expect((await upload({ id })).status).toBe(201);
    expect((await one.upload(domain, '{"id":1.0}')).status).toBe(201);
    expect((await one.upload(domain, '{"id":9007199254740993}')).status).toBe(201);
    expect((await one.upload(domain, '{"id":9007199254740992}')).status).toBe(201);
    expect(await one.count(domain)).toBe(7);
  });

  it('that is large is one too', async () => {
    const payload = { id: 'a', list: Array.from({ length: 20_000 }, (_, n) => n) };
    const first = await upload(payload);
    expect(idOf(await upload(payload))).toBe(idOf(first));
    expect((await upload({ ...payload, n: 1 })).status).toBe(409);
  });

  it('that is stored is answered 201 also after the schema became stricter', async () => {
    const first = await upload({ id: 'a', n: 1 });
    await publish({ ...schema, properties: { id: { type: 'string' }, n: { type: 'integer', minimum: 5 } } });
    await until(async () => (await upload({ id: 'b', n: 1 })).status === 422);
    expect(idOf(await upload({ id: 'a', n: 1 }))).toBe(idOf(first));
    expect(
      (
        await batch([
          { id: 'a', n: 1 },
          { id: 'c', n: 1 },
        ])
      ).body.data,
    ).toMatchObject({
      ...{ accepted: 1, repeated: 1, rejected: 1 },
    });
    const whole = await batch(
      [
        { id: 'a', n: 1 },
        { id: 'd', n: 7 },
      ],
      '?atomic=true',
    );
    expect(whole.body.data).toMatchObject({ accepted: 2, repeated: 1, rejected: 0 });
  });

  it('is taken again once its entry is deleted', async () => {
    const first = await upload({ id: 'a', n: 1 });
    await sluice.request('DELETE', `${path()}/data/${idOf(first)}`, { token });
    const next = await upload({ id: 'a', n: 2 });
    expect(next.status).toBe(201);
    expect(await one.payloads(domain)).toEqual([{ id: 'a', n: 2 }]);
  });

  it('is kept for the owner where its value is stored with another payload', async () => {
    const refused = refusedClient(sluice, token, domain);
    await upload({ id: 'a', n: 1 });
    await upload({ id: 'a', n: 2 });
    await batch([{ id: 'a', n: 3 }, { id: 'b' }]);
    await refused.untilCounted(2);
    const { result } = await refused.list();
    expect(result.map(({ payload }: { payload: { n: number } }) => payload.n).sort()).toEqual([2, 3]);
    expect(result[0]).toMatchObject({ error: { name: 'ResourceConflictError' } });
    expect(await refused.groups()).toMatchObject([{ path: '/id', keyword: 'unique', count: 2 }]);
  });
});

it('a value is free again when its entry is too old', async () => {
  await patch({ path: '/id', days: 1 });
  const old = { createdAt: '2026-01-01T00:00:00.000Z', payload: { id: 'a', n: 1 } };
  const { job } = await importClient(sluice, token).complete(domain, ndjson([old]), {
    query: '?entries=wrapped',
  });
  expect(job).toMatchObject({ accepted: 1 });
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => upload({ id: 'a', n: 2 }, undefined, clients[n % 2])),
  );
  expect(new Set(answers.map((answer) => `${answer.status} ${idOf(answer)}`)).size).toBe(1);
  expect(await one.payloads(domain)).toEqual([
    { id: 'a', n: 2 },
    { id: 'a', n: 1 },
  ]);
  expect((await upload({ id: 'a', n: 1 })).status).toBe(409);
});

describe('a batch', () => {
  it('counts lines that are stored already, and refuses those with other payloads', async () => {
    await batch([{ id: 'a' }, { id: 'b' }]);
    const { status, body } = await batch([
      { id: 'a' },
      { id: 'b', n: 2 },
      { id: 'c' },
      { id: 'c' },
      { id: 'c', n: 1 },
    ]);
    expect(status).toBe(207);
    expect(body.data).toMatchObject({ accepted: 3, repeated: 2, rejected: 2 });
    expect(body.data.errors.map(({ line, name }: { line: number; name: string }) => [line, name])).toEqual([
      [2, 'ResourceConflictError'],
      [5, 'ResourceConflictError'],
    ]);
    expect(await one.count(domain)).toBe(3);
  });

  it('of 3,000 lines that comes to two APIs at once, with and without a key, is stored once', async () => {
    const lines = ndjson(Array.from({ length: 3_000 }, (_, n) => ({ id: `${n}`, n })));
    const answers = await Promise.all(
      [0, 1, 2, 3].map((n) =>
        untilTaken(() =>
          (clients[n % 2] as UploadClient).batch(domain, lines, {
            headers: n > 1 ? { 'idempotency-key': 'key' } : {},
          }),
        ),
      ),
    );
    expect(answers.map(({ status, body }) => [status, body.data?.accepted])).toEqual(
      answers.map(() => [201, 3_000]),
    );
    expect(await one.count(domain)).toBe(3_000);
  });

  it('that is atomic stores all or none, and names the line that is in the way', async () => {
    await upload({ id: 'b', n: 1 });
    const refused = await batch([{ id: 'a' }, { id: 'b', n: 2 }, { id: 'c' }], '?atomic=true');
    expect(refused.status).toBe(422);
    expect(refused.body.error.details).toMatchObject([{ line: 2, name: 'ResourceConflictError' }]);
    expect(await one.count(domain)).toBe(1);
    const twice = await batch([{ id: 'd' }, { id: 'd', n: 1 }], '?atomic=true');
    expect(twice.body.error.details).toMatchObject([{ line: 2, name: 'ResourceConflictError' }]);
    const all = await batch([{ id: 'a' }, { id: 'b', n: 1 }, { id: 'c' }, { id: 'c' }], '?atomic=true');
    expect(all.body.data).toEqual({ accepted: 4, repeated: 2, rejected: 0, errors: [] });
    expect(await one.count(domain)).toBe(3);
  });

  it('that is atomic and comes many times at once is stored once', async () => {
    const lines = ndjson(Array.from({ length: 200 }, (_, n) => ({ id: `${n}` })));
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        untilTaken(() => (clients[n % 2] as UploadClient).batch(domain, lines, { query: '?atomic=true' })),
      ),
    );
    expect(answers.map(({ status, body }) => [status, body.data?.accepted])).toEqual(
      answers.map(() => [201, 200]),
    );
    expect(await one.count(domain)).toBe(200);
  });
});

it('an upload that waits for a transaction with its value keeps no other application waiting', async () => {
  const client = new MongoClient(sluice.env.MONGODB_URL as string);
  onTestFinished(() => client.close());
  const stored = await storeOf(sluice).applications.byDomain(domain);
  const application = stored?.id as string;
  const once = new Binary(hashUniqueValue(application, '/id', 'a'));
  const session = client.startSession();
  session.startTransaction();
  const _id = new Binary(Buffer.from(application + 'ee'.repeat(12), 'hex'));
  await client
    .db()
    .collection<{ _id: Binary }>('entries')
    .insertOne({ _id, once } as { _id: Binary }, { session });
  const open = await sluice.application(token);
  const waiting: ReturnType<typeof upload>[] = [];
  for (let n = 0; n < 4; n++) {
    waiting.push(upload({ id: 'a' }));
    // Each begins a command of its own, as far as there are any.
    for (let m = 0; m < 5; m++) expect((await one.upload(open, '{}')).status).toBe(201);
  }
  await session.abortTransaction();
  await session.endSession();
  for (const { status } of await Promise.all(waiting)) expect(status).toBe(201);
});

it('an import that comes twice stores each value once', async () => {
  const { complete } = importClient(sluice, token);
  const lines = Array.from({ length: 5_000 }, (_, n) => ({ id: `${n}`, n }));
  expect((await complete(domain, ndjson(lines))).job).toMatchObject({ accepted: 5_000, rejected: 0 });
  const again = await complete(domain, ndjson([...lines, { id: '7', n: 8 }, { id: 'new' }, { id: 'new' }]));
  expect(again.job).toMatchObject({ state: 'completed', accepted: 5_002, repeated: 5_001, rejected: 1 });
  expect(again.errors).toMatchObject([{ line: 5_001, name: 'ResourceConflictError', payload: { n: 8 } }]);
  expect(await one.count(domain)).toBe(5_001);
});

it('a replay finds what is stored by its value, and what is in the way', async () => {
  const { list, refuse } = refusedClient(sluice, token, domain);
  const ids = async () =>
    new Set((await list()).result.map(({ payload }: { payload: { id: string } }) => payload.id));
  const strict = { ...schema, properties: { ...schema.properties, n: { type: 'integer', maximum: 5 } } };
  await publish(strict);
  await until(async () => (await upload({ id: 'z', n: 9 })).status === 422);
  for (const id of ['a', 'b', 'c', 'c']) await refuse({ id, n: 9 });
  await until(async () => (await ids()).size === 4);
  await publish(schema);
  await until(async () => (await upload({ id: 'a', n: 9 })).status === 201);
  await upload({ id: 'b', n: 1 });
  const { body } = await sluice.request('POST', `${path()}/replays`, { token, json: {} });
  let job: typeof body.data;
  await until(async () => {
    job = (await sluice.request('GET', `${path()}/replays/${body.data.id}`, { token })).body.data;
    return job.state === 'completed';
  });
  const kept = (await list()).result;
  // Another replay leaves it out.
  const next = await sluice.request('POST', `${path()}/replays`, { token, json: {} });
  expect(next.body.data.progress.total).toBe(0);
  expect(kept).toMatchObject([{ payload: { id: 'b', n: 9 }, error: { name: 'ResourceConflictError' } }]);
  expect(job.result).toMatchObject({ stored: 2, still_refused: 1 });
  expect((await one.payloads(domain)).map(({ id }) => id).sort()).toEqual(['a', 'b', 'c', 'z']);
});

it('what was stored before it is turned on has its values once the job is completed', async () => {
  const json = { name: 'Test', type: 'other', schema };
  domain = (await sluice.request('POST', '/applications', { token, json })).body.data.domain;
  await upload({ id: 'again', n: 1 });
  const first = await upload({ id: 'old', n: 1 }, 'its-key');
  await upload({ id: 'again', n: 1 });
  const { status, body } = await patch({ path: '/id' });
  expect(status).toBe(200);
  const [, job = ''] = body.data.warnings[0].match(/job (\w+)/) ?? [];
  let ended: { state: string; result: unknown } = { state: '', result: undefined };
  await until(async () => {
    ended = (await sluice.request('GET', `${path()}/unique/${job}`, { token })).body.data;
    return ended.state === 'completed';
  });
  expect(ended.result).toEqual({ checked: 3, repeated: 1, conflicting: 0 });
  const same = await upload({ id: 'old', n: 1 });
  expect([same.status, idOf(same)]).toEqual([201, idOf(first)]);
  expect((await upload({ id: 'old', n: 2 })).status).toBe(409);
  expect((await upload({ id: 'old', n: 1 }, 'its-key')).status).toBe(201);
  expect((await upload({ id: 'again', n: 1 })).status).toBe(201);
  const missing = await sluice.request('POST', `${path()}/data/missing`, {
    token,
    json: { values: ['old', 'again', 'new'] },
  });
  expect(missing.body.data).toEqual({ missing: ['new'] });
  const proof = (await sluice.request('GET', `${path()}/stats?step=day&hash=true`, { token })).body.data;
  const hashOf = (text: string) => createHash('sha256').update(text).digest().readBigUInt64BE();
  const sum = proof.reduce(
    (all: bigint, row: { hash: string }) => BigInt.asUintN(64, all + BigInt(`0x${row.hash}`)),
    0n,
  );
  expect(sum).toBe(BigInt.asUintN(64, hashOf('old') + hashOf('again')));
});

describe('a check before it is turned on', () => {
  const check = (of: string, query = '?dry_run=true') =>
    sluice.request('POST', `${path()}/unique${query}`, { token, json: { path: of } });

  it('counts the entries that would have been repeated', async () => {
    await patch(null);
    await until(async () => (await upload({ id: 'a', n: 1 })).status === 201);
    await batch(Array.from({ length: 2_500 }, (_, n) => ({ id: `${n % 2_000}`, n: n % 4_000 })));
    await batch([{ n: 1, id: 'a' }, { id: 'a', n: 2 }, { id: 'b' }, { id: 'b' }]);
    const { status, body } = await check('/id');
    expect([status, body.data.kind]).toEqual([202, 'unique']);
    let job: typeof body.data;
    await until(async () => {
      job = (await sluice.request('GET', `${path()}/unique/${body.data.id}`, { token })).body.data;
      return job.state === 'completed';
    });
    const { total } = job.progress;
    expect(job.result).toEqual({ checked: total, repeated: 2, conflicting: 501 });
    expect(await one.count(domain)).toBe(total);
    const client = new MongoClient(sluice.env.MONGODB_URL as string);
    onTestFinished(() => client.close());
    const left = { _id: { $gte: new Binary(Buffer.from(body.data.id, 'hex')) } };
    const surveys = client.db().collection<{ _id: Binary }>('surveys');
    await until(async () => (await surveys.countDocuments(left)) === 0);
    const listed = await sluice.request('GET', `${path()}/unique`, { token });
    expect(listed.body.data).toMatchObject([{ id: body.data.id }]);
  });

  it('of an application without entries has counted none', async () => {
    const { body } = await check('/id');
    await until(async () => {
      const job = await sluice.request('GET', `${path()}/unique/${body.data.id}`, { token });
      return job.body.data.result?.checked === 0;
    });
  });

  it('is refused for a member that cannot be unique, and where it is no dry run', async () => {
    expect((await check('/n')).body.error.message).toContain('/n is not required');
    expect((await check('/id', '')).status).toBe(400);
  });
});
