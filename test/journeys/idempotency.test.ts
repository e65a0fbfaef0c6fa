import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { exchange } from '../support/raw-exchange.ts';
import { runs } from '../support/runs.ts';
import { sharedSluice, startSluice, untilTaken } from '../support/sluice.ts';
import { ndjson, type UploadClient, uploadClient } from '../support/upload-client.ts';

let domain: string;

const sluice = await sharedSluice();
const { token } = await sluice.owner();
/** Another API on the same stores. */
const second = await startSluice({ workers: false, env: sluice.env });
afterAll(() => second.stop());
const clients = [sluice, second].map((of) => uploadClient(of, token));
const one = clients[0] as UploadClient;

const application = () =>
  sluice.application(token, { type: 'object', properties: { n: { type: 'integer' } } });
beforeEach(async () => {
  domain = await application();
});

const counted = Array.from({ length: 600 }, (_, n) => ({ n }));
const good = ndjson(counted);
/** Every hundredth line is wrong. */
const partlyBad = ndjson(counted.map(({ n }) => ({ n: n % 100 === 50 ? 'x' : n })));
const batchOf =
  (body: string, query = '') =>
  (via: UploadClient) =>
    via.batch(domain, body, { query, headers: { 'idempotency-key': 'key' } });

it.each([
  ['an upload', (via: UploadClient) => via.upload(domain, '{"n":1}', 'key'), 201, 1],
  ['a batch', batchOf(good), 201, 600],
  ['an atomic batch', batchOf(good, '?atomic=true'), 201, 600],
  ['a batch with bad lines', batchOf(partlyBad), 207, 594],
])(
  '%s that is sent fifty times at once with an idempotency key is answered alike, and stored once',
  async (_what, send, status, stored) => {
    // Half of it to each API. Where the stores are busy, it is sent again as the 503 says.
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => untilTaken(() => send(clients[i % 2] as UploadClient))),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(status);
    if (status === 201 && stored > 1)
      expect(answers[0]?.body.data).toEqual({ accepted: stored, rejected: 0, errors: [] });
    expect(await one.count(domain)).toBe(stored);
  },
);

describe('an upload with an idempotency key', () => {
  it('is answered alike, and stored once, when it is sent again', async () => {
    const answers = [];
    for (const client of [...clients, ...clients])
      answers.push(await client.upload(domain, '{"n":1,"list":[{}]}', 'key'));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.body.data).toEqual({ domain, payload: { n: 1, list: [{}] } });
    expect(await one.count(domain)).toBe(1);
  });

  it.each([
    ['other white space', '{"n":1,"m":"x"}', ' {\n"n": 1 , "m":"x" }\r\n'],
    ['its keys in another order', '{"n":1,"m":{"a":1,"b":2}}', '{"m":{"b":2,"a":1},"n":1}'],
    ['other escapes', '{"n":1,"m":"Z\u00fcrich/"}', '{"\\u006e":1,"m":"Z\\u00fcrich\\/"}'],
    ['its numbers written otherwise', '{"n":100,"m":0.5}', '{"n":1E2,"m":5e-1}'],
    ['a byte order mark', '{"n":1}', '\uFEFF{"n":1}'],
  ])('is the same with %s', async (_what, first, second) => {
    expect((await one.upload(domain, first, 'key')).status).toBe(201);
    const again = await one.upload(domain, second, 'key');
    expect([again.status, again.body.data.payload]).toEqual([201, JSON.parse(first)]);
    expect(await one.count(domain)).toBe(1);
  });

  it('conflicts with another payload, of which nothing is stored', async () => {
    await one.upload(domain, '{"n":1}', 'key');
    for (const client of clients)
      for (const payload of ['{"n":2}', '{"n":1,"other":1}']) {
        const { status, body } = await client.upload(domain, payload, 'key');
        expect([status, body.error.name]).toEqual([409, 'ResourceConflictError']);
      }
    expect(await one.payloads(domain)).toEqual([{ n: 1 }]);
    expect(await one.fields(domain)).toEqual([]);
  });

  it.each([
    ['does not conform', '{"n":"x"}', 422],
    ['is no JSON', '{"n":', 400],
    ['is inexact', '{"n":9223372036854775808}', 422],
  ])('that %s leaves its key free', async (_what, body, status) => {
    expect((await one.upload(domain, body, 'key')).status).toBe(status);
    expect((await one.upload(domain, '{"n":1}', 'key')).status).toBe(201);
    expect(await one.payloads(domain)).toEqual([{ n: 1 }]);
  });

  it('has its key for itself in its application', async () => {
    const other = await application();
    expect((await one.upload(domain, '{"n":1}', 'key')).status).toBe(201);
    expect((await one.upload(other, '{"n":2}', 'key')).status).toBe(201);
    expect([await one.payloads(domain), await one.payloads(other)]).toEqual([[{ n: 1 }], [{ n: 2 }]]);
  });

  it('has a key that is no batch’s', async () => {
    const headers = { 'idempotency-key': 'key' };
    expect((await one.upload(domain, '{"n":1}', 'key')).status).toBe(201);
    expect((await one.batch(domain, '{"n":2}\n', { headers })).status).toBe(201);
    expect(await one.count(domain)).toBe(2);
  });

  it('is known to an API that is started later', async () => {
    await one.upload(domain, '{"n":1}', 'key');
    const late = await startSluice({ workers: false, env: sluice.env });
    try {
      const client = uploadClient(late, token);
      expect((await client.upload(domain, '{"n":1}', 'key')).status).toBe(201);
      expect((await client.upload(domain, '{"n":2}', 'key')).status).toBe(409);
      expect(await client.count(domain)).toBe(1);
    } finally {
      await late.stop();
    }
  });

  it('in any mixture of retries and conflicts is stored once a key', async () => {
    const attempt = fc.record({
      key: fc.nat({ max: 3 }),
      value: fc.nat({ max: 2 }),
      via: fc.nat({ max: 1 }),
    });
    const waves = fc.array(fc.array(attempt, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(waves, async (all) => {
        const at = await application();
        const taken = new Map<number, Set<number>>();
        for (const wave of all) {
          const answers = wave.map(async ({ key, value, via }) => {
            const body = JSON.stringify({ key, value });
            const { status } = await (clients[via] as UploadClient).upload(at, body, `key-${key}`);
            expect([201, 409]).toContain(status);
            if (status === 201) taken.set(key, (taken.get(key) ?? new Set()).add(value));
          });
          await Promise.all(answers);
        }
        const keys = new Set(all.flat().map(({ key }) => key));
        const expected = [...keys].sort().map((key) => ({ key, value: [...(taken.get(key) ?? [])] }));
        const stored = (await one.payloads(at)).map(({ key, value }) => ({ key, value: [value] }));
        expect(stored.sort((a, b) => a.key - b.key)).toEqual(expected);
      }),
      runs(20),
    );
  });
});

describe('an idempotency key', () => {
  const send = (...keys: string[]) =>
    exchange(
      sluice.url,
      `/api/applications/${domain}/data`,
      [
        'Content-Type: application/json',
        'Content-Length: 7',
        ...keys.map((key) => `Idempotency-Key: ${key}`),
      ],
      ['{"n":1}'],
    );

  it.each([
    ['a blank inside', ['a b']],
    ['129 characters', ['k'.repeat(129)]],
    ['nothing in it', ['']],
    ['a letter beyond ASCII', ['schl\u00fcssel']],
    ['a tab inside', ['a\tb']],
    ['a second one', ['a', 'b']],
    ['the same a second time', ['a', 'a']],
  ])('is refused with %s', async (_what, keys) => {
    const { status, body } = await send(...keys);
    expect([status, body.error.name]).toEqual([400, 'InvalidRequestError']);
    expect(body.error.details).toEqual([
      expect.objectContaining({ in: 'headers', path: '/idempotency-key', message: expect.any(String) }),
    ]);
    expect(await one.count(domain)).toBe(0);
  });

  it.each(['k', 'k'.repeat(128), '"!#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~', '0', '__proto__'])(
    'is taken as %s',
    async (key) => {
      expect([(await send(key)).status, (await send(key)).status]).toEqual([201, 201]);
      expect(await one.count(domain)).toBe(1);
    },
  );
});
