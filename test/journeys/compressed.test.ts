import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Sluice, startSluice } from '../support/sluice.ts';

const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const limit = 10_000;
const encodings = { gzip: gzipSync, zstd: zstdCompressSync };
type Encoding = keyof typeof encodings;
const names = Object.keys(encodings) as Encoding[];

let sluice: Sluice;
let token: string;
let domain: string;

beforeAll(async () => {
  sluice = await startSluice({
    env: { BODY_LIMIT: String(limit), BATCH_LIMIT: String(2 * limit) },
    workers: false,
  });
  ({ token } = await sluice.owner());
});
afterAll(() => sluice.stop());
beforeEach(async () => {
  domain = await sluice.application(token, schema);
});

function send(path: string, encoding: string, body: Buffer, type = 'application/json') {
  return sluice.request('POST', `/applications/${domain}/${path}`, {
    body: new Uint8Array(body),
    headers: { 'content-type': type, 'content-encoding': encoding },
  });
}

const stored = async () => {
  const { body } = await sluice.request('GET', `/applications/${domain}/data`, { token });
  return body.data.result.map(({ payload }: { payload: unknown }) => payload);
};

describe.each(names)('%s', (encoding) => {
  const compress = encodings[encoding];
  const packed = (text: string) => compress(Buffer.from(text));

  it('is taken for an upload, which is answered as it was before', async () => {
    const { status, body } = await send('data', encoding, packed('{"n":1}'));
    expect([status, body.data.payload]).toEqual([201, { n: 1 }]);
    expect(await stored()).toEqual([{ n: 1 }]);
  });

  it('is taken in several frames', async () => {
    const parts = Buffer.concat([packed('{"n":'), packed('1}')]);
    expect((await send('data', encoding, parts)).status).toBe(201);
    const lines = Buffer.concat([packed('{"n":2}\n'), packed('{"n":3}\n')]);
    expect((await send('data/batch', encoding, lines, 'application/x-ndjson')).status).toBe(201);
    expect(await stored()).toEqual([{ n: 3 }, { n: 2 }, { n: 1 }]);
  });

  it.each(['application/x-ndjson', 'application/ndjson', 'application/jsonl'])(
    'is taken for a batch of %s',
    async (type) => {
      const { status, body } = await send(
        'data/batch',
        encoding,
        packed('{"n":1}\n{"n":"x"}\n{"n":2}'),
        type,
      );
      expect([status, body.data.accepted, body.data.errors[0].line]).toEqual([207, 2, 2]);
      expect(await stored()).toEqual([{ n: 2 }, { n: 1 }]);
    },
  );

  it('is refused with the reasons of what it has in it', async () => {
    const { status, body } = await send('data', encoding, packed('{"n":"x"}'));
    expect([status, body.error.details[0].path]).toEqual([422, '/n']);
  });

  it.each([
    ['data', limit, 'application/json'],
    ['data/batch', 2 * limit, 'application/x-ndjson'],
  ])('counts for the limit of %s as it was before', async (path, most, type) => {
    const exact = `{"n":1,"text":"${'x'.repeat(most)}`.slice(0, most - 2);
    const line =
      path === 'data' ? [exact] : [exact.slice(0, most / 2 - 2), '"}\n', exact.slice(0, most / 2 - 3)];
    const body = `${line.join('')}"}`;
    expect(body).toHaveLength(most);
    expect((await send(path, encoding, packed(body), type)).status).toBe(201);
    const over = await send(path, encoding, packed(`${body} `), type);
    expect([over.status, over.body.error.message]).toEqual([
      413,
      `the body is over the limit of ${most} bytes; nothing was stored`,
    ]);
    const bomb = await send(path, encoding, packed(' '.repeat(50 * 1024 ** 2)), type);
    expect(bomb.status).toBe(413);
  });

  it.each(['data', 'data/batch', 'data/validate'])(
    'is refused in %s where it is broken, cut off, or something else',
    async (path) => {
      const whole = packed('{"n":1}');
      const broken = Buffer.from(whole);
      broken.fill(0xff, 4, 12);
      for (const body of [
        broken,
        whole.subarray(0, -3),
        Buffer.from('{"n":1}'),
        Buffer.concat([whole, Buffer.from('{}')]),
      ]) {
        const answer = await send(path, encoding, body);
        expect([answer.status, answer.body.error.name]).toEqual([400, 'MalformedBodyError']);
      }
      expect(await stored()).toEqual([]);
    },
  );
});

it.each(['br', 'deflate', 'gzip, gzip', 'nonsense'])(
  'the encoding %s is refused by name',
  async (encoding) => {
    for (const path of ['data', 'data/batch']) {
      const { status, body } = await send(path, encoding, Buffer.from('{"n":1}'));
      expect([status, body.error.message]).toEqual([
        415,
        `Content-Encoding ${encoding} is not taken here, only gzip and zstd`,
      ]);
    }
  },
);

it('a batch is retried by the same key however it is compressed', async () => {
  const body = Buffer.from('{"n":1}\n{"n":2}\n');
  const headers = { 'content-type': 'application/x-ndjson', 'idempotency-key': 'one' };
  for (const [encoding, bytes] of [
    ['gzip', gzipSync(body)],
    ['zstd', zstdCompressSync(body)],
    ['identity', body],
  ] as const) {
    const { status } = await sluice.request('POST', `/applications/${domain}/data/batch`, {
      body: new Uint8Array(bytes),
      headers: { ...headers, 'content-encoding': encoding },
    });
    expect(status).toBe(201);
  }
  expect(await stored()).toHaveLength(2);
});
