import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { exchange } from '../support/raw-exchange.ts';
import { type Answer, type Call, call, type Sluice, startSluice, storeOf, until } from '../support/sluice.ts';

let sluice: Sluice;
let token: string;
let username: string;
let stranger: string;
let domain: string;

beforeAll(async () => {
  sluice = await startSluice({ workers: false });
  ({ token, username } = await sluice.owner());
  stranger = (await sluice.owner()).token;
});
afterAll(() => sluice.stop());

async function change(json: object): Promise<void> {
  expect((await sluice.request('PATCH', `/applications/${domain}`, { token, json })).status).toBe(200);
}

beforeEach(async () => {
  domain = await sluice.application(token);
  await change({ key_required: true });
});

interface Issued {
  id: string;
  key: string;
  name: string;
  prefix: string;
  createdAt: string;
  expires_at?: string;
  lastUsedAt?: string;
  uploads_24h: number;
  refused_24h: number;
}

async function create(name = 'Sensor', where = domain, more = {}): Promise<Issued> {
  const json = { name, ...more };
  const answer = await sluice.request('POST', `/applications/${where}/keys`, { token, json });
  expect([answer.status, answer.body.data]).toEqual([200, expect.anything()]);
  return answer.body.data;
}

async function update({ id }: Issued, json: object): Promise<Issued> {
  const answer = await sluice.request('PATCH', `/applications/${domain}/keys/${id}`, { token, json });
  expect([answer.status, answer.body.data]).toEqual([200, expect.anything()]);
  return answer.body.data;
}

async function rotate({ id }: Issued): Promise<Issued> {
  const answer = await sluice.request('POST', `/applications/${domain}/keys/${id}/rotate`, { token });
  expect(answer.status).toBe(200);
  return answer.body.data;
}

async function revoke({ id }: Issued): Promise<void> {
  expect((await sluice.request('DELETE', `/applications/${domain}/keys/${id}`, { token })).status).toBe(200);
}

const list = async (): Promise<Issued[]> =>
  (await sluice.request('GET', `/applications/${domain}/keys`, { token })).body.data;

const none = { uploads_24h: 0, refused_24h: 0 };

/** The ways to upload, and what each answers when it is done. */
const ways: [way: string, status: number][] = [
  ['', 201],
  ['/batch', 201],
  ['/validate', 200],
];

const upload = (options: Call = {}, way = '', url = sluice.url): Promise<Answer> =>
  call(url, 'POST', `/api/applications/${domain}/data${way}`, {
    json: way === '' ? { a: 1 } : [{ a: 1 }],
    ...options,
  });
const withKey = (key: string): Call => ({ headers: { 'x-api-key': key } });

const stored = async () =>
  (await sluice.request('GET', `/applications/${domain}/data`, { token })).body.data.pagination.total;

describe('keys', () => {
  it('are shown once, and are not to be read again anywhere', async () => {
    const issued = await create('Sensor 1');
    expect(issued).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'Sensor 1',
      prefix: issued.key.slice(0, 11),
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      createdBy: username,
      key: expect.stringMatching(/^sk_[\w-]{43}$/),
    });
    const { key, ...shown } = issued;
    expect(await list()).toEqual([{ ...shown, ...none }]);

    const client = new MongoClient(sluice.env.MONGODB_URL as string);
    onTestFinished(() => client.close());
    for (const { name } of await client.db().listCollections().toArray()) {
      const documents = await client.db().collection(name).find().toArray();
      expect(JSON.stringify(documents)).not.toContain(key.slice(20));
    }
  });

  it('are listed newest first', async () => {
    for (const name of ['one', 'two', 'three']) await create(name);
    expect((await list()).map(({ name }) => name)).toEqual(['three', 'two', 'one']);
  });

  it('differ', async () => {
    const issued = await Promise.all(Array.from({ length: 20 }, () => create()));
    expect(new Set(issued.map(({ key }) => key)).size).toBe(20);
  });

  it.each([
    [{}, '/name'],
    [{ name: '' }, '/name'],
    [{ name: ' ' }, '/name'],
    [{ name: 'n'.repeat(101) }, '/name'],
    [{ name: 1 }, '/name'],
    [{ name: 'n', key: 'sk_mine' }, '/key'],
    [{ name: 'n', expires_at: '2020-01-01' }, '/expires_at'],
    [{ name: 'n', expires_at: 'soon' }, '/expires_at'],
    [{ name: 'n', upload_rate: { entries: 0, seconds: 60 } }, '/upload_rate/entries'],
    [{ name: 'n', upload_rate: { entries: 1, seconds: 604_801 } }, '/upload_rate/seconds'],
    [{ name: 'n', upload_rate: { entries: 1 } }, '/upload_rate/seconds'],
  ])('are not created of %j', async (json, path) => {
    const { status, body } = await sluice.request('POST', `/applications/${domain}/keys`, { token, json });
    expect([status, body.error.details[0].path]).toEqual([400, path]);
  });

  it.each([
    [{ name: '' }, '/name'],
    [{ name: null }, '/name'],
    [{ expires_at: '2020-01-01' }, '/expires_at'],
    [{ createdBy: 'me' }, '/createdBy'],
  ])('do not become %j', async (json, path) => {
    const issued = await create();
    const where = `/applications/${domain}/keys/${issued.id}`;
    const { status, body } = await sluice.request('PATCH', where, { token, json });
    expect([status, body.error.details[0].path]).toEqual([400, path]);
    const { key: _, ...shown } = issued;
    expect(await list()).toEqual([{ ...shown, ...none }]);
  });

  it('have another name and time from then on, also after a rotation', async () => {
    const { key, ...shown } = await create();
    const expires_at = '2126-01-02T03:04:05.000Z';
    const changed = { ...shown, name: 'Roof', expires_at };
    expect(await update(shown as Issued, { name: 'Roof', expires_at: '2126-01-02T03:04:05' })).toEqual(
      changed,
    );
    expect(await update(shown as Issued, {})).toEqual(changed);
    expect(await rotate(shown as Issued)).toMatchObject({ id: shown.id, name: 'Roof', expires_at });
    expect((await upload(withKey(key))).status).toBe(403);
    expect(await update(shown as Issued, { expires_at: null })).not.toHaveProperty('expires_at');
  });

  it('are at most 100 an application, however many are asked for at once', async () => {
    const ask = (): Promise<Answer> =>
      sluice.request('POST', `/applications/${domain}/keys`, { token, json: { name: 'n' } });
    await Promise.all(Array.from({ length: 95 }, () => create()));
    const atOnce = await Promise.all(Array.from({ length: 20 }, ask));
    expect(atOnce.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(5);
    let last = await ask();
    while (last.status === 200) last = await ask();
    expect([last.status, last.body.error.name]).toEqual([429, 'TooManyRequestsError']);
    expect(last.headers.get('retry-after')).toMatch(/^\d+$/);
    const all = await list();
    expect(all).toHaveLength(100);
    await revoke(all[0] as Issued);
    expect((await ask()).status).toBe(200);
  });

  it("are the owner's: others learn nothing of them", async () => {
    const issued = await create();
    const path = `/applications/${domain}/keys`;
    const calls: [string, string][] = [
      ['GET', path],
      ['POST', path],
      ['PATCH', `${path}/${issued.id}`],
      ['POST', `${path}/${issued.id}/rotate`],
      ['DELETE', `${path}/${issued.id}`],
    ];
    for (const [method, where] of calls) {
      const json = method === 'PATCH' || (where === path && method === 'POST') ? { name: 'n' } : undefined;
      const { status, body } = await sluice.request(method, where, { token: stranger, json });
      expect([status, body.error.message]).toEqual([404, `application ${domain} was not found`]);
    }
    expect((await upload(withKey(issued.key))).status).toBe(201);
  });

  it.each(['x', '0123456789abcdef01234567'])('that do not exist answer 404 (%s)', async (id) => {
    const path = `/applications/${domain}/keys/${id}`;
    for (const [method, where] of [
      ['DELETE', path],
      ['PATCH', path],
      ['POST', `${path}/rotate`],
    ] as const) {
      const json = method === 'PATCH' ? {} : undefined;
      const { status, body } = await sluice.request(method, where, { token, json });
      expect([status, body.error.message]).toEqual([404, `key ${id} was not found`]);
    }
  });

  it('of one application are not to be reached by way of another', async () => {
    const issued = await create('n', await sluice.application(token));
    const path = `/applications/${domain}/keys/${issued.id}`;
    expect((await sluice.request('DELETE', path, { token })).status).toBe(404);
    expect((await sluice.request('PATCH', path, { token, json: {} })).status).toBe(404);
    expect((await sluice.request('POST', `${path}/rotate`, { token })).status).toBe(404);
  });

  it('go with their application', async () => {
    const withWorkers = await startSluice({ env: sluice.env });
    onTestFinished(() => withWorkers.stop());
    const store = storeOf(sluice);
    const id = (await store.applications.byDomain(domain))?.id as string;
    await create();
    expect(await store.keys.hashes(id)).toHaveLength(1);
    await sluice.request('DELETE', `/applications/${domain}`, { token });
    await until(async () => (await store.keys.hashes(id)).length === 0);
  });
});

describe('an application', () => {
  it('is open, and asks no page for its origin, until its owner wants it otherwise', async () => {
    const open = await sluice.application(token);
    const { body } = await sluice.request('GET', `/applications/${open}`, { token });
    expect(body.data).toMatchObject({ key_required: false, allowed_origins: [] });
  });

  it('that needs no key looks at none', async () => {
    await change({ key_required: false });
    for (const [way, status] of ways) {
      for (const call of [{}, withKey('sk_wrong'), { token: 'sk_wrong' }, { token: stranger }]) {
        expect((await upload(call, way)).status).toBe(status);
      }
    }
  });

  it('keeps what it has of the one when the other is changed', async () => {
    await change({ allowed_origins: ['https://a.example'] });
    await change({ name: 'Other' });
    const { body } = await sluice.request('PUT', `/applications/${domain}`, { token, json: {} });
    expect(body.data).toMatchObject({
      name: 'Other',
      key_required: true,
      allowed_origins: ['https://a.example'],
    });
  });
});

describe.each(ways)('with key_required, POST …/data%s', (way, status) => {
  it('takes a key of the application, in either header', async () => {
    const { key } = await create();
    expect((await upload(withKey(key), way)).status).toBe(status);
    expect((await upload({ token: key }, way)).status).toBe(status);
    expect((await upload({ headers: { authorization: `bearer  ${key}` } }, way)).status).toBe(status);
  });

  const missing = /^an ingest key is required .* X-Api-Key: sk_… or Authorization: Bearer sk_…$/;
  const login = /^an ingest key is required .* a login token is not one; create one with POST .*\/keys$/;
  const wrong = /^this is not a valid ingest key of /;
  it.each<[string, RegExp, () => Promise<Call>]>([
    ['nothing', missing, async () => ({})],
    ['an empty key', missing, async () => withKey('')],
    ["the owner's token", login, async () => ({ token })],
    ["the owner's token as a key", login, async () => withKey(token)],
    ['no key', wrong, async () => withKey('sk_')],
    ['half a key', wrong, async () => withKey((await create()).key.slice(0, -1))],
    ['a key and a bit', wrong, async () => ({ token: `${(await create()).key}x` })],
    ['two keys', wrong, async () => withKey(`${(await create()).key}, ${(await create()).key}`)],
    [
      'a key of another application',
      wrong,
      async () => withKey((await create('n', await sluice.application(token))).key),
    ],
    [
      'a key that was revoked',
      wrong,
      async () => {
        const issued = await create();
        expect((await upload(withKey(issued.key), '/validate')).status).toBe(200);
        await revoke(issued);
        return withKey(issued.key);
      },
    ],
    [
      'a key that was rotated',
      wrong,
      async () => {
        const issued = await create();
        expect((await upload(withKey(issued.key), '/validate')).status).toBe(200);
        const rotated = await rotate(issued);
        expect(rotated).toMatchObject({ id: issued.id, name: issued.name });
        expect((await upload(withKey(rotated.key), '/validate')).status).toBe(200);
        return withKey(issued.key);
      },
    ],
  ])('refuses %s', async (_what, message, make) => {
    const answer = await upload(await make(), way);
    expect([answer.status, answer.body.error.name]).toEqual([403, 'ForbiddenRequestError']);
    expect(answer.body.error.message).toMatch(message);
    expect(await stored()).toBe(0);
  });

  it('says nothing of the body to whom it does not let in', async () => {
    expect((await upload({ json: undefined, body: '{"a":' }, way)).status).toBe(403);
  });
});

describe('the rate of a key', () => {
  const upload_rate = { entries: 10, seconds: 7 * 24 * 3_600 };
  const batchOf = (lines: number, { key }: Issued, way = '/batch') =>
    upload({ ...withKey(key), json: Array(lines).fill({ a: 1 }) }, way);
  const told = ({ status, headers }: Answer) =>
    [status, headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')].join(' ');

  it('counts uploads, lines and what is only tried, exactly, and keeps to itself', async () => {
    const [one, other] = [
      await create('n', domain, { upload_rate }),
      await create('n', domain, { upload_rate }),
    ];
    expect(await list()).toMatchObject([{ upload_rate }, { upload_rate }]);
    expect(told(await upload(withKey(one.key)))).toBe('201 10 9');
    expect(told(await batchOf(4, one))).toBe('201 10 5');
    expect(told(await batchOf(3, one, '/validate'))).toBe('200 10 2');
    const over = await batchOf(3, one);
    expect([told(over), over.body.error.message]).toEqual([
      '429 10 2',
      expect.stringMatching(
        /^rate limit reached: 10 entries per 7 days for this key; retry in \d+ s; nothing was stored$/,
      ),
    ]);
    expect(over.headers.get('retry-after')).toBe(over.headers.get('ratelimit-reset'));
    expect(told(await batchOf(2, one))).toBe('201 10 0');
    expect(told(await upload(withKey(one.key)))).toBe('429 10 0');
    const never = await batchOf(11, one);
    expect([never.headers.get('retry-after'), never.body.error.message]).toEqual([
      null,
      'the batch has 11 lines; the limit is 10 entries per 7 days for this key: send smaller batches; nothing was stored',
    ]);
    expect(await stored()).toBe(7);

    expect(told(await upload(withKey(other.key)))).toBe('201 10 9');
    // A wrong key has none of it, and one without a rate is told of none.
    expect(told(await upload(withKey(`${other.key.slice(0, -1)}.`)))).toBe('403  ');
    expect(told(await upload(withKey((await create()).key)))).toBe('201  ');
    const rotated = await rotate(one);
    expect(rotated).toMatchObject({ upload_rate });
    expect(told(await upload(withKey(rotated.key)))).toBe('429 10 0');
    await change({ key_required: false });
    expect(told(await upload(withKey(rotated.key)))).toBe('429 10 0');
  });

  it('changes with the key, and goes on counting', async () => {
    const issued = await create('n', domain, { upload_rate });
    const tried = (lines: number) => batchOf(lines, issued, '/validate');
    expect(told(await tried(10))).toBe('200 10 0');
    await update(issued, { upload_rate: { entries: 12, seconds: upload_rate.seconds } });
    expect(told(await tried(2))).toBe('200 12 0');
    expect(told(await tried(1))).toBe('429 12 0');
    expect(await update(issued, { upload_rate: null })).not.toHaveProperty('upload_rate');
    expect(told(await tried(1))).toBe('200  ');
  });
});

describe('the last use of a key', () => {
  const usedAt = async (id: string) => (await list()).find((key) => key.id === id)?.lastUsedAt;

  it('is told within seconds, once a minute, and no replica reads the key again for it', async () => {
    const [used, other] = [await create(), await create()];
    const began = Date.now();
    expect((await upload(withKey(used.key))).status).toBe(201);
    await until(async () => (await usedAt(used.id)) !== undefined);
    const at = await usedAt(used.id);
    expect(Date.parse(at as string)).toBeGreaterThanOrEqual(began);
    expect(await usedAt(other.id)).toBeUndefined();

    // When it stops, a process writes what it has noted.
    const replica = await startSluice({ workers: false, env: sluice.env });
    for (const { key } of [used, other]) await upload(withKey(key), '', replica.url);
    await replica.stop();
    expect(await usedAt(used.id)).toBe(at);
    expect(Date.parse((await usedAt(other.id)) as string)).toBeGreaterThanOrEqual(Date.parse(at as string));
    const { applications, keys } = storeOf(sluice);
    const hashes = await keys.hashes((await applications.byDomain(domain))?.id as string);
    expect(hashes.map(({ revision }) => revision)).toEqual([0n, 0n]);
  });
});

it('each key tells what came with it in 24 hours, and what of it was refused', async () => {
  domain = await sluice.application(token, { type: 'object', properties: { a: { type: 'number' } } });
  const [one, other, unused] = [await create('one'), await create('other'), await create('unused')];
  await upload();
  await upload(withKey('sk_wrong'));
  await upload(withKey(one.key));
  await upload({ ...withKey(one.key), json: [{ a: 1 }, { a: 'x' }, { a: 2 }] }, '/batch');
  await upload({ ...withKey(other.key), json: { a: 'x' } });
  await upload({ ...withKey(other.key), json: undefined, body: '{"a":' });
  await upload({ ...withKey(other.key), json: [{ a: 'x' }] }, '/validate');
  const counts = async () =>
    Object.fromEntries((await list()).map(({ id, ...told }) => [id, [told.uploads_24h, told.refused_24h]]));
  const expected = { [one.id]: [3, 1], [other.id]: [0, 2], [unused.id]: [0, 0] };
  await until(async () => {
    const now = await counts();
    return now[one.id]?.[1] === 1 && now[other.id]?.[1] === 2;
  });
  expect(await counts()).toEqual(expected);

  // What comes with an expired key is told at that key.
  await change({ key_required: true });
  await update(unused, { expires_at: new Date(Date.now() + 200).toISOString() });
  await until(async () => (await upload(withKey(unused.key), '/batch')).status === 403);
  await until(async () => (await counts())[unused.id]?.[1] === 1);

  // Neither a rotation nor another application changes it.
  await rotate(one);
  expect((await counts())[one.id]).toEqual([3, 1]);
  await change({ key_required: false });

  const unique = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
  domain = await sluice.application(token, unique);
  await change({ unique: { path: '/a' } });
  const { id, key } = await create();
  for (const b of [1, 2]) await upload({ ...withKey(key), json: { a: 1, b } });
  await upload({ ...withKey(key), json: [{ a: 1, b: 3 }] }, '/batch');
  await until(async () => (await counts())[id]?.[1] === 2);
  expect(await counts()).toEqual({ [id]: [1, 2] });
  domain = await sluice.application(token);
  expect(await counts()).toEqual({});
});

it('who turns key_required on learns what came without a valid key in the last hour', async () => {
  const require = async (key_required: boolean) => {
    const json = { key_required };
    return (await sluice.request('PATCH', `/applications/${domain}`, { token, json })).body.data.warnings;
  };
  const { key } = await create();
  await upload(withKey(key));
  expect(await require(false)).toBeUndefined();
  expect(await require(true)).toBeUndefined();
  await require(false);
  await upload();
  const told = 'of the last hour came without a valid key; such uploads are refused from now on';
  expect(await require(true)).toEqual([`1 entry ${told}`]);
  expect(await require(true)).toBeUndefined();
  await require(false);
  await upload({ json: Array(1_200).fill({ a: 1 }), ...withKey('sk_wrong') }, '/batch');
  await upload({ json: Array(10).fill({ a: 1 }), ...withKey(key) }, '/batch');
  expect(await require(true)).toEqual([`1,201 entries ${told}`]);
});

it('takes nothing whose key was revoked while the body came', async () => {
  const issued = await create();
  async function* pieces() {
    yield '{"a":1}\n';
    await revoke(issued);
    yield '{"a":2}\n';
  }
  const headers = ['Content-Type: application/x-ndjson', 'Content-Length: 16', `X-Api-Key: ${issued.key}`];
  const path = `/api/applications/${domain}/data/batch`;
  expect((await exchange(sluice.url, path, headers, pieces())).status).toBe(403);
  expect(await stored()).toBe(0);
});

describe('on another replica, to which no message comes', () => {
  let deaf: Sluice;
  beforeAll(async () => {
    deaf = await startSluice({ workers: false, env: { ...sluice.env, REDIS_PREFIX: 'hears-nothing' } });
  });
  afterAll(() => deaf.stop());

  /** Uploads until one is refused; returns how long after the change the last one began that was taken. */
  async function takenAfter(changed: number, url: string, options?: Call, why = /./): Promise<number> {
    for (let last = changed; ; ) {
      const began = performance.now();
      const { status, body } = await upload(options, '', url);
      if (status === 403) {
        expect(body.error.message).toMatch(why);
        return last - changed;
      }
      expect(status).toBe(201);
      last = began;
    }
  }

  it('a revoked and a rotated key are refused within a second', async () => {
    const { url } = deaf;
    for (const end of [revoke, rotate]) {
      const issued = await create();
      expect((await upload(withKey(issued.key), '', url)).status).toBe(201);
      await end(issued);
      expect(await takenAfter(performance.now(), url, withKey(issued.key))).toBeLessThan(1_000);
    }
  });

  it('a key is refused from its time on, and taken again with another time', async () => {
    const { url } = deaf;
    const [issued, late] = [await create('n', domain, { expires_at: '2126-01-01' }), await create()];
    for (const where of [sluice.url, url])
      expect((await upload(withKey(issued.key), '', where)).status).toBe(201);
    const at = Date.now() + 2_000;
    for (const each of [issued, late]) await update(each, { expires_at: new Date(at).toISOString() });
    const end = performance.now() + at - Date.now();
    const why = /^this ingest key of .* has expired/;
    for (const where of [url, sluice.url])
      expect(await takenAfter(end, where, withKey(issued.key), why)).toBeLessThan(1_000);
    for (const [way] of ways) expect((await upload(withKey(issued.key), way, url)).status).toBe(403);

    // Also where none is required.
    await change({ key_required: false });
    for (const [way] of ways) expect((await upload(withKey(late.key), way)).status).toBe(403);
    expect((await upload()).status).toBe(201);

    await change({ key_required: true });
    await update(issued, { expires_at: null });
    expect((await upload(withKey(issued.key))).status).toBe(201);
    await until(async () => (await upload(withKey(issued.key), '', url)).status === 201);
  });

  it('the rate of a key counts for itself, and ends within a second', async () => {
    const { url } = deaf;
    const issued = await create('n', domain, { upload_rate: { entries: 1, seconds: 7 * 24 * 3_600 } });
    const statusAt = async (where: string) => (await upload(withKey(issued.key), '', where)).status;
    expect([await statusAt(sluice.url), await statusAt(sluice.url), await statusAt(url)]).toEqual([
      201, 429, 201,
    ]);
    expect(await statusAt(url)).toBe(429);
    await update(issued, { upload_rate: null });
    expect(await statusAt(sluice.url)).toBe(201);
    await until(async () => (await statusAt(url)) === 201);
  });

  it('a key is wanted within a second, here at once', async () => {
    const { url } = deaf;
    await change({ key_required: false });
    await until(async () => (await upload({}, '', url)).status === 201);
    await change({ key_required: true });
    const changed = performance.now();
    expect((await upload()).status).toBe(403);
    expect(await takenAfter(changed, url)).toBeLessThan(1_000);
    await change({ key_required: false });
    expect((await upload()).status).toBe(201);
    await until(async () => (await upload({}, '', url)).status === 201);
  });

  it('a new key is taken at once', async () => {
    const { url } = deaf;
    let known = await create();
    for (let i = 0; i < 10; i++) {
      await upload(withKey(known.key), '', url);
      known = i % 2 === 0 ? await create() : await rotate(known);
      const answers = await Promise.all(Array.from({ length: 5 }, () => upload(withKey(known.key), '', url)));
      expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(201));
    }
  });
});
