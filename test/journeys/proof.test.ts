import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { celsiusSchema } from '../support/refused-client.ts';
import { type Call, sharedSluice } from '../support/sluice.ts';
import { ndjson } from '../support/upload-client.ts';

const sluice = await sharedSluice();
const { token } = await sluice.owner();

async function start() {
  const domain = await sluice.application(token, celsiusSchema);
  const path = `/applications/${domain}`;
  const right = { celsius: 1 };
  const wrong = { celsius: 'warm' };

  async function send(where: string, call: Call, status: number): Promise<string | null> {
    const answer = await sluice.request('POST', `${path}/${where}`, call);
    expect({ status: answer.status, text: answer.text }).toMatchObject({ status });
    return answer.headers.get('entry-id');
  }
  const withKey = (key: string, more?: Record<string, string>) => ({ 'idempotency-key': key, ...more });
  return {
    path,
    right,
    wrong,
    upload: (key: string, more?: Record<string, string>) =>
      send('data', { json: right, headers: withKey(key, more) }, 201),
    batch: (key: string, lines: object[], status: number, query = '') =>
      send(
        `data/batch${query}`,
        { body: ndjson(lines), headers: withKey(key, { 'content-type': 'application/x-ndjson' }) },
        status,
      ),
    ask: (call: Call) => sluice.request('POST', `${path}/data/missing`, call),
    async missing(json: object, by: Call = { token }): Promise<unknown> {
      const { status, text, body } = await sluice.request('POST', `${path}/data/missing`, { ...by, json });
      expect({ status, text }).toMatchObject({ status: 200 });
      return body.data.missing;
    },
    async key(name: string): Promise<Record<string, string>> {
      const { body } = await sluice.request('POST', `${path}/keys`, { token, json: { name } });
      return { 'x-api-key': body.data.key };
    },
  };
}

it('names the keys of uploads and batches that are not stored, in the order of the request', async () => {
  const { path, right, wrong, upload, batch, missing } = await start();
  expect(await missing({ keys: ['b', 'a', 'b'] })).toEqual(['b', 'a', 'b']);
  expect(await missing({ keys: [] })).toEqual([]);
  await upload('single');
  await upload('deleted').then((entry) => sluice.request('DELETE', `${path}/data/${entry}`, { token }));
  await batch('whole', [right, right], 201);
  await batch('atomic', [right, right], 201, '?atomic=true');
  await batch('partly-refused', [right, wrong], 207);
  await batch('refused', [wrong, wrong], 422);
  await batch('atomically-refused', [right, wrong], 422, '?atomic=true');
  const keys = [
    'refused',
    'single',
    'whole',
    'atomic',
    'deleted',
    'partly-refused',
    'atomically-refused',
    'x',
  ];
  expect(await missing({ keys })).toEqual(['refused', 'deleted', 'atomically-refused', 'x']);
});

it('an ingest key finds what it sent itself', async () => {
  const { path, missing, upload, key, ask } = await start();
  const [one, other] = [await key('one'), await key('other')];
  await upload('by-one', one);
  await upload('by-other', other);
  await upload('by-nobody');
  const keys = ['by-one', 'by-other', 'by-nobody'];
  expect(await missing({ keys })).toEqual([]);
  expect(await missing({ keys }, { headers: one })).toEqual(['by-other', 'by-nobody']);
  expect(await missing({ keys }, { headers: other })).toEqual(['by-one', 'by-nobody']);
  expect(await missing({ keys }, { token: other['x-api-key'] })).toEqual(['by-one', 'by-nobody']);
  const elsewhere = await start();
  for (const where of [path, elsewhere.path]) {
    const headers = where === path ? { 'x-api-key': 'sk_wrong' } : one;
    const { status } = await sluice.request('POST', `${where}/data/missing`, { headers, json: { keys } });
    expect(status).toBe(403);
  }
  expect((await ask({ json: { keys } })).status).toBe(401);
});

it('adds up the keys of each hour, so that a sender finds the hour that differs', async () => {
  const { path, upload, batch, right } = await start();
  const hour = 3_600_000;
  const sums = new Map<number, bigint>();
  for (const key of ['a', 'b', 'c', 'd']) {
    await upload(key);
    const at = Math.floor(Date.now() / hour);
    const proof = createHash('sha256').update(key).digest().readBigUInt64BE();
    sums.set(at, BigInt.asUintN(64, (sums.get(at) ?? 0n) + proof));
  }
  await batch('batch', [right, right], 201);
  const from = new Date(Date.now() - hour).toISOString();
  const get = async (step: string) =>
    (await sluice.request('GET', `${path}/stats?step=${step}&hash=true&from=${from}`, { token })).body.data;
  const hours: { at: string; accepted: number; count: number; hash: string }[] = await get('hour');
  const hex = (sum: bigint) => sum.toString(16).padStart(16, '0');
  expect(hours.map(({ hash }) => hash)).toEqual(
    hours.map(({ at }) => hex(sums.get(Date.parse(at) / hour) ?? 0n)),
  );
  expect(hours.reduce((sum, { count }) => sum + count, 0)).toBe(6);
  expect(hours.map(({ count }) => count)).toEqual(hours.map(({ accepted }) => accepted));
  const days: typeof hours = await get('day');
  const all = (some: typeof hours) =>
    BigInt.asUintN(
      64,
      some.reduce((sum, { hash }) => sum + BigInt(`0x${hash}`), 0n),
    );
  expect(all(days)).toBe(all(hours));
});

it('names the values that are not stored, digit by digit', async () => {
  const id = { type: ['string', 'number', 'boolean'] };
  const schema = { type: 'object', properties: { id }, required: ['id'] };
  const json = { name: 'Test', type: 'other', schema, unique: { path: '/id' } };
  const { domain } = (await sluice.request('POST', '/applications', { token, json })).body.data;
  const path = `/applications/${domain}`;
  const lines = '{"id":9007199254740993}\n{"id":"a7"}\n{"id":true}\n';
  const headers = { 'content-type': 'application/x-ndjson' };
  expect((await sluice.request('POST', `${path}/data/batch`, { body: lines, headers })).status).toBe(201);
  const body = '{"values":["a7",9007199254740992,9007199254740993,"true",true,1.50]}';
  const { text } = await sluice.request('POST', `${path}/data/missing`, { token, body });
  expect(text).toContain('"data":{"missing":[9007199254740992,"true",1.5]}');
  const hours = await sluice.request('GET', `${path}/stats?step=day&hash=true`, { token });
  const proofs = ['9007199254740993', 'a7', 'true'].map((value) =>
    createHash('sha256').update(value).digest().readBigUInt64BE(),
  );
  const sums = hours.body.data.map(({ hash }: { hash: string }) => BigInt(`0x${hash}`));
  const sum = (some: bigint[]) =>
    BigInt.asUintN(
      64,
      some.reduce((all, one) => all + one, 0n),
    );
  expect(sum(sums)).toBe(sum(proofs));
});

const many = Array<string>(10_001).fill('a');

it.each<[what: string, json: object, message: string]>([
  ['nothing', {}, 'send either `keys` or `values`'],
  ['both', { keys: [], values: [] }, 'send either `keys` or `values`'],
  ['a key with a space', { keys: ['a b'] }, 'body/keys/0'],
  ['too many keys', { keys: many }, 'body/keys'],
  ['too many values', { values: many }, 'body/values'],
  ['an object', { values: ['a', { b: 1 }] }, 'body/values/1 must be a string, a number or a boolean'],
  ['null', { values: ['a', null] }, 'body/values/1 must be a string, a number or a boolean'],
  ['values without `unique`', { values: ['a'] }, 'has no `unique` member: ask by keys'],
  ['text for values', { values: 'a' }, 'body/values'],
])('refuses %s', async (_, json, message) => {
  const { path, ask } = await start();
  if (!message.startsWith('has no')) {
    const unique = { unique: { path: '/celsius' } };
    expect((await sluice.request('PATCH', path, { token, json: unique })).status).toBe(200);
  }
  const { status, body } = await ask({ token, json });
  expect([status, body.error.message]).toEqual([400, expect.stringContaining(message)]);
});
