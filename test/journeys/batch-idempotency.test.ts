import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { sharedSluice, startSluice } from '../support/sluice.ts';
import { ndjson, type UploadClient, uploadClient } from '../support/upload-client.ts';

let domain: string;

const sluice = await sharedSluice();
const { token } = await sluice.owner();
/** Another API on the same stores. */
const second = await startSluice({ workers: false, env: sluice.env });
afterAll(() => second.stop());
const clients = [sluice, second].map((of) => uploadClient(of, token));
const one = clients[0] as UploadClient;
beforeEach(async () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } } };
  domain = await sluice.application(token, schema);
});

const count = 600;
const counted = Array.from({ length: count }, (_, n) => ({ n }));
const good = ndjson(counted);
/** Every hundredth line is wrong. */
const partlyBad = ndjson(counted.map(({ n }) => ({ n: n % 100 === 50 ? 'x' : n })));
const json = { type: 'application/json' };

describe.each([
  ['a batch', ''],
  ['an atomic batch', '?atomic=true'],
])('%s with an idempotency key', (_what, query) => {
  const send = (body: string, { via = one, key = 'key', ...options } = {}) =>
    via.batch(domain, body, { query, headers: { 'idempotency-key': key }, ...options });

  it('is answered alike, and stored once, when it is sent again', async () => {
    const answers = [];
    for (const via of [...clients, ...clients]) answers.push(await send(good, { via }));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    for (const { body } of answers) expect(body.data).toEqual({ accepted: count, rejected: 0, errors: [] });
    expect((await one.payloads(domain)).map(({ n }) => n).reverse()).toEqual(counted.map(({ n }) => n));
  });

  it('conflicts with another body, of which nothing is stored, nor a column recorded', async () => {
    await send(good);
    for (const via of clients) {
      const { status, body } = await send(`${good}{"n":-1,"more":1}\n`, { via });
      expect([status, body.error.name]).toEqual([409, 'ResourceConflictError']);
    }
    expect(await one.count(domain)).toBe(count);
    expect(await one.fields(domain)).toEqual([]);
  });

  it('conflicts with the same lines that are to be stored in the other way', async () => {
    await send(good);
    const other = query === '' ? '?atomic=true' : '';
    const { status } = await one.batch(domain, good, {
      query: other,
      headers: { 'idempotency-key': 'key' },
    });
    expect(status).toBe(409);
    expect(await one.count(domain)).toBe(count);
  });

  it.each([
    ['refused line by line', '{"n":"x"}\n{"n":"y"}\n', {}, 422],
    ['malformed', '[{"n":1},', json, 400],
    ['of another type', '{"n":1}', { type: 'text/plain' }, 415],
    ['of an unknown application', '{"n":1}\n', {}, 404],
  ])('that is %s leaves its key free', async (what, body, options, status) => {
    const at = what.includes('unknown') ? 'nothing-abc234' : domain;
    const headers = { 'idempotency-key': 'key' };
    expect((await one.batch(at, body, { query, headers, ...options })).status).toBe(status);
    expect((await send(good)).status).toBe(201);
    expect(await one.count(domain)).toBe(count);
  });

  it('is stored anew with another key, and in another application', async () => {
    const other = await sluice.application(token);
    const headers = { 'idempotency-key': 'key' };
    expect((await send(good)).status).toBe(201);
    expect((await send(good, { key: 'other' })).status).toBe(201);
    expect((await one.batch(other, good, { query, headers })).status).toBe(201);
    expect([await one.count(domain), await one.count(other)]).toEqual([2 * count, count]);
  });
});

describe('a batch with bad lines and an idempotency key', () => {
  const send = (query: string, via = one) =>
    via.batch(domain, partlyBad, { query, headers: { 'idempotency-key': 'key' } });
  const rejected = count / 100;

  it('is answered alike, line by line, when it is sent again', async () => {
    const first = await send('');
    expect([first.status, first.body.data.accepted, first.body.data.rejected]).toEqual([
      ...[207, count - rejected, rejected],
    ]);
    for (const via of clients) expect((await send('', via)).text).toBe(first.text);
    expect(await one.count(domain)).toBe(count - rejected);
  });

  it('that is atomic is refused, and leaves its key free', async () => {
    expect((await send('?atomic=true')).status).toBe(422);
    const headers = { 'idempotency-key': 'key' };
    expect((await one.batch(domain, good, { query: '?atomic=true', headers })).status).toBe(201);
    expect(await one.count(domain)).toBe(count);
  });
});

it('a batch with an idempotency key and the same line many times stores it as often', async () => {
  const headers = { 'idempotency-key': 'key' };
  const body = '{"n":1}\n'.repeat(700);
  expect((await one.batch(domain, body, { headers })).body.data.accepted).toBe(700);
  expect((await one.batch(domain, body, { headers })).body.data.accepted).toBe(700);
  expect(await one.count(domain)).toBe(700);
});
