import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { type CuttableProxy, createCuttableProxy } from '../support/cuttable-proxy.ts';
import { throughProxy } from '../support/own-database.ts';
import { type Answer, ownStores, type Sluice, startSluice, until } from '../support/sluice.ts';
import { ndjson, type UploadClient, uploadClient } from '../support/upload-client.ts';

/** One API reaches MongoDB by way of a proxy, the other one, on the same database, does not. */
let proxy: CuttableProxy;
let sluice: Sluice;
let witness: Sluice;
let client: UploadClient;
let seen: UploadClient;
let token: string;
let domain: string;

beforeAll(async () => {
  const { hostname, port } = new URL(inject('mongodbUrl'));
  proxy = await createCuttableProxy({ host: hostname, port: Number(port || 27017) });
  const env = ownStores();
  witness = await startSluice({ workers: false, env });
  const MONGODB_URL = throughProxy(env.MONGODB_URL as string, proxy);
  sluice = await startSluice({ workers: false, env: { ...env, MONGODB_URL, MONGODB_TIMEOUT: '8s' } });
  ({ token } = await witness.owner());
  client = uploadClient(sluice, token);
  seen = uploadClient(witness, token);
});
afterAll(async () => {
  await Promise.all([sluice.stop(), witness.stop()]);
  await proxy.close();
});
beforeEach(async () => {
  await proxy.restore();
  domain = await witness.application(token, { type: 'object' });
});

/** Stored in commands of 500 lines; the marker is in the third and last. */
const count = 1_300;
const lines = Array.from({ length: count }, (_, n) => ({ n, text: n === 1_200 ? 'the marker' : 'x' }));
const everyNumber = lines.map(({ n }) => n);
const numbers = async () => (await seen.payloads(domain)).map(({ n }) => n).sort((a, b) => a - b);

const send = (key?: string, query = ''): Promise<Answer> =>
  client.batch(domain, ndjson(lines), { query, ...(key && { headers: { 'idempotency-key': key } }) });

function expectUnavailable({ status, headers, body }: Answer): void {
  expect([status, body.error?.name]).toEqual([503, 'ServiceUnavailableError']);
  expect(headers.get('retry-after')).toMatch(/^\d+$/);
}

describe.each([
  ['goes away with the third command of a batch', () => proxy.cutWhenSent('the marker')],
  ['loses the answers to the third command of a batch', () => proxy.loseAnswerTo('the marker', 2)],
])('when MongoDB %s', (_what, interrupt) => {
  it('a batch with a key is answered with 503, and a retry stores each of its lines once', async () => {
    const trap = interrupt();
    expectUnavailable(await send('key'));
    expect(trap.left).toBe(0);
    const before = await numbers();
    expect(new Set(before).size).toBe(before.length);
    await proxy.restore();
    await until(async () => (await send('key')).status === 201);
    expect(await numbers()).toEqual(everyNumber);
    expect((await send('key')).body.data).toEqual({ accepted: count, rejected: 0, errors: [] });
    expect(await numbers()).toEqual(everyNumber);
  });

  it('a retry by way of another API completes it as well', async () => {
    interrupt();
    expectUnavailable(await send('key'));
    const again = await seen.batch(domain, ndjson(lines), { headers: { 'idempotency-key': 'key' } });
    expect([again.status, again.body.data]).toEqual([201, { accepted: count, rejected: 0, errors: [] }]);
    expect(await numbers()).toEqual(everyNumber);
  });

  it('a batch without a key is stored once, however often it is sent, where its values are unique', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const json = { name: 'Test', type: 'other', schema, unique: { path: '/n' } };
    domain = (await witness.request('POST', '/applications', { token, json })).body.data.domain;
    const trap = interrupt();
    expectUnavailable(await send());
    expect(trap.left).toBe(0);
    await proxy.restore();
    await until(async () => (await send()).status === 201);
    expect(await numbers()).toEqual(everyNumber);
    const all = { accepted: count, repeated: count, rejected: 0, errors: [] };
    expect((await send()).body.data).toEqual(all);
    expect(await numbers()).toEqual(everyNumber);
  });

  it('a batch without a key is told of each line whether it is stored', async () => {
    const trap = interrupt();
    // The last line is bad, which is found before the fault.
    const { status, body } = await client.batch(domain, `${ndjson(lines)}[]\n`);
    expect([status, trap.left]).toEqual([207, 0]);
    const { errors } = body.data;
    expect(errors.pop()).toMatchObject({ line: count + 1, name: 'SchemaValidationError' });
    const failed = new Set<number>();
    const notStored = new Set<number>();
    for (const { line, name, message } of errors) {
      expect(name).toBe('ServiceUnavailableError');
      failed.add(line - 1);
      if (message.endsWith('was not stored')) notStored.add(line - 1);
    }
    expect([...failed]).toEqual([...failed].sort((a, b) => a - b));
    expect([body.data.accepted, body.data.rejected]).toEqual([count - failed.size, failed.size + 1]);
    const found = await numbers();
    expect(new Set(found).size).toBe(found.length);
    expect(everyNumber.filter((n) => !failed.has(n) && !found.includes(n))).toEqual([]);
    expect(found.filter((n) => notStored.has(n))).toEqual([]);
  });
});

describe('an atomic batch with a key', () => {
  it('is not stored at all when MongoDB goes away, and holds up no other one', async () => {
    const trap = proxy.cutWhenSent('the marker');
    expectUnavailable(await send('key', '?atomic=true'));
    expect([trap.left, await numbers()]).toEqual([0, []]);
    await proxy.restore();
    await until(async () => (await send('other', '?atomic=true')).status === 201);
    expect(await numbers()).toEqual(everyNumber);
  });

  it.each([
    ['its third command', 'the marker', 2],
    ['its commit', 'commitTransaction', 1],
  ])('is stored once when answers to %s are lost', async (_what, text, times) => {
    const trap = proxy.loseAnswerTo(text, times);
    const { status, body } = await send('key', '?atomic=true');
    expect([status, body.data.accepted, trap.left]).toEqual([201, count, 0]);
    expect(await numbers()).toEqual(everyNumber);
  });
});
