import { batchLines } from '@sluice/api/limits/table.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chunked, exchange } from '../support/raw-exchange.ts';
import { type Sluice, startSluice } from '../support/sluice.ts';
import { ndjson, type UploadClient, uploadClient } from '../support/upload-client.ts';

let sluice: Sluice;
let client: UploadClient;
let token: string;
let domain: string;
const json = { type: 'application/json' };
const batchLimit = 256 * 1024;
const lines = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));
/** A batch of exactly so many bytes. */
const ofBytes = (bytes: number) => `{"n":1}\n{"n":2,"m":"${'x'.repeat(bytes - 23)}"}\n`;

beforeAll(async () => {
  sluice = await startSluice({
    workers: false,
    env: { BATCH_LIMIT: String(batchLimit), REQUEST_TIMEOUT: '2s' },
  });
  ({ token } = await sluice.owner());
  client = uploadClient(sluice, token);
});
afterAll(() => sluice.stop());

it('takes a body that comes in pieces of a byte', async () => {
  const at = await sluice.application(token);
  const body = '\uFEFF{"n":1}\n\n{"n":2,"m":"ü"}\n\uFEFF{}\n';
  const pieces = [...Buffer.from(body).toString('latin1')].map((byte) => `1\r\n${byte}\r\n`);
  const answer = await exchange(
    sluice.url,
    `/api/applications/${at}/data/batch`,
    ['Content-Type: application/x-ndjson', 'Transfer-Encoding: chunked'],
    [Buffer.from([...pieces, '0\r\n\r\n'].join(''), 'latin1')],
  );
  expect([answer.status, answer.body.data]).toEqual([
    207,
    {
      accepted: 2,
      rejected: 1,
      errors: [
        {
          line: 4,
          name: 'MalformedBodyError',
          message:
            'the line is not JSON: unexpected character at column 1; this is a byte order mark: only the start of a file may have one, and joined files have more: remove it',
        },
      ],
    },
  ]);
});

beforeEach(async () => {
  domain = await sluice.application(token, { type: 'object', properties: { n: { type: 'integer' } } });
});

const error = (answer: { status: number | undefined; body: { error?: { name: string } } }) => [
  answer.status,
  answer.body.error?.name,
];

describe('a batch is refused as a whole, and nothing of it is stored', () => {
  // biome-ignore format: a table, a row a line
  it.each([
    ['a line too many', ndjson(lines(batchLines + 1)), {}, 413, 'PayloadTooLargeError'],
    ['an element too many', JSON.stringify(lines(batchLines + 1)), json, 413, 'PayloadTooLargeError'],
    ['a byte too many', ofBytes(batchLimit + 1), {}, 413, 'PayloadTooLargeError'],
    ['no body', '', {}, 400, 'MalformedBodyError'],
    ['no body of an array', '', json, 400, 'MalformedBodyError'],
    ['an object for an array', '{"n":1}', json, 400, 'MalformedBodyError'],
    ['NDJSON for an array', '{"n":1}\n{"n":2}\n', json, 400, 'MalformedBodyError'],
    ['an array without an end', '[{"n":1},{"n":2}', json, 400, 'MalformedBodyError'],
    ['an array with a comma at its end', '[{"n":1},{"n":2},]', json, 400, 'MalformedBodyError'],
    ['an array with two commas', '[{"n":1},,{"n":2}]', json, 400, 'MalformedBodyError'],
    ['two arrays', '[{"n":1}][{"n":2}]', json, 400, 'MalformedBodyError'],
    ['a string without an end', '[{"n":1},{"m":"]', json, 400, 'MalformedBodyError'],
    ['atomic=maybe', '{"n":1}\n', { query: '?atomic=maybe' }, 400, 'InvalidRequestError'],
    ['an empty atomic', '{"n":1}\n', { query: '?atomic=' }, 400, 'InvalidRequestError'],
    ['atomic twice', '{"n":1}\n', { query: '?atomic=true&atomic=true' }, 400, 'InvalidRequestError'],
    ['an unknown query', '{"n":1}\n', { query: '?atomc=true' }, 400, 'InvalidRequestError'],
    ['text', '{"n":1}\n', { type: 'text/plain' }, 415, 'UnsupportedMediaTypeError'],
    ['a type that begins like JSON', '{"n":1}\n', { type: 'application/json-seq' }, 415, 'UnsupportedMediaTypeError'],
    ['CSV', 'n\n1\n', { type: 'text/csv' }, 415, 'UnsupportedMediaTypeError'],
    ['another charset', '{"n":1}\n', { type: 'application/x-ndjson; charset=latin1' }, 415, 'UnsupportedMediaTypeError'],
    ['another encoding', '{"n":1}\n', { headers: { 'content-encoding': 'br' } }, 415, 'UnsupportedMediaTypeError'],
    ['a body that is not gzip', '{"n":1}\n', { headers: { 'content-encoding': 'gzip' } }, 400, 'MalformedBodyError'],
    ['an idempotency key with a blank', '{"n":1}\n', { headers: { 'idempotency-key': 'a b' } }, 400, 'InvalidRequestError'],
  ])('for %s', async (_what, body, options, status, name) => {
    expect(error(await client.batch(domain, body, options))).toEqual([status, name]);
    expect(await client.count(domain)).toBe(0);
  });

  it('for an unknown application', async () => {
    const answer = await client.batch('nothing-abc234', '{"n":1}\n');
    expect(error(answer)).toEqual([404, 'ResourceNotFoundError']);
    expect(answer.body.error.message).toBe('application nothing-abc234 was not found');
  });

  it('for a body over the limit whose length is not told beforehand', async () => {
    const pieces = Array.from({ length: 100 }, (_, n) =>
      chunked(`${JSON.stringify({ n, m: 'x'.repeat(3_000) })}\n`),
    );
    const headers = ['Content-Type: application/x-ndjson', 'Transfer-Encoding: chunked'];
    const answer = await exchange(sluice.url, `/api/applications/${domain}/data/batch`, headers, [
      ...pieces,
      chunked(''),
    ]);
    expect(error(answer)).toEqual([413, 'PayloadTooLargeError']);
    expect(answer.body.error.message).toContain(String(batchLimit));
    expect(await client.count(domain)).toBe(0);
  });

  it('for a length over the limit, before anything of the body has come', async () => {
    const headers = ['Content-Type: application/x-ndjson', `Content-Length: ${batchLimit + 1}`];
    const answer = await exchange(sluice.url, `/api/applications/${domain}/data/batch`, headers, []);
    expect(error(answer)).toEqual([413, 'PayloadTooLargeError']);
  });

  it.each([
    ['ends in the middle of its length', 'end', ['Content-Length: 100'], ['{"n":1}\n', '{"n":2}\n']],
    ['is reset in the middle of its length', 'reset', ['Content-Length: 100'], ['{"n":1}\n', '{"n":2}\n']],
    ['ends before its last piece', 'end', ['Transfer-Encoding: chunked'], [chunked('{"n":1}\n{"n":2}\n')]],
    ['is reset before its last piece', 'reset', ['Transfer-Encoding: chunked'], [chunked('{"n":1}\n')]],
    ['stops, and the connection stays', 'wait', ['Content-Length: 100'], ['{"n":1}\n']],
  ] as const)('when the body %s', async (_what, then, headers, pieces) => {
    const answer = await exchange(
      sluice.url,
      `/api/applications/${domain}/data/batch`,
      ['Content-Type: application/x-ndjson', ...headers],
      [...pieces],
      then,
    );
    expect([undefined, 400, 408]).toContain(answer.status);
    expect(await client.count(domain)).toBe(0);
  });
});

describe('a batch is taken', () => {
  it.each([
    ['of as many lines as may be', ndjson(lines(batchLines)), {}, batchLines],
    ['of as many elements as may be', JSON.stringify(lines(batchLines)), json, batchLines],
    [
      'of as many lines as may be, and blank ones',
      ndjson(lines(batchLines)).replaceAll('\n', '\n\n'),
      {},
      batchLines,
    ],
    ['of as many bytes as may be', ofBytes(batchLimit), {}, 2],
    ['of no elements', '[]', json, 0],
    ['of no elements, all or none', ' [ ] ', { ...json, query: '?atomic=true' }, 0],
    ['that is not atomic', '{"n":1}\n', { query: '?atomic=false' }, 1],
  ])('%s', async (_what, body, options, accepted) => {
    const answer = await client.batch(domain, body, options);
    expect([answer.status, answer.body.data]).toEqual([201, { accepted, rejected: 0, errors: [] }]);
    expect(await client.count(domain)).toBe(accepted);
  });

  it('whose length is not told beforehand', async () => {
    const headers = ['Content-Type: application/x-ndjson', 'Transfer-Encoding: chunked'];
    const pieces = ['{"n', '":1}', '\n{"n":2}\n', ''].map(chunked);
    const answer = await exchange(sluice.url, `/api/applications/${domain}/data/batch`, headers, pieces);
    expect([answer.status, answer.body.data.accepted]).toEqual([201, 2]);
  });
});

it.each(['GET', 'PUT', 'PATCH', 'DELETE'])('%s on batches is not allowed', async (method) => {
  const answer = await sluice.request(method, `/applications/${domain}/data/batch`, { token });
  expect(error(answer)).toEqual([405, 'MethodNotAllowedError']);
  expect(answer.headers.get('allow')).toContain('POST');
});
