import { promisify } from 'node:util';
import { gzip, zstdCompress } from 'node:zlib';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ImportCall, importClient, types } from '../support/import-client.ts';
import { chunked, exchange } from '../support/raw-exchange.ts';
import { type Sluice, startSluice, until } from '../support/sluice.ts';
import { ndjson } from '../support/upload-client.ts';

let sluice: Sluice;
/** On the same stores; it waits less long for the rest of a request. */
let hasty: Sluice;
let token: string;
let domain: string;
let client: ReturnType<typeof importClient>;
let mongo: MongoClient;

const limit = 64 * 1024;
const schema = { type: 'object', properties: { n: { type: 'integer' } } };

beforeAll(async () => {
  sluice = await startSluice({
    workers: false,
    env: { IMPORT_LIMIT: '64KiB', IMPORT_QUOTA: '300KiB' },
  });
  hasty = await startSluice({ workers: false, env: { ...sluice.env, REQUEST_TIMEOUT: '5s' } });
  ({ token } = await sluice.owner());
  domain = await sluice.application(token, schema);
  mongo = new MongoClient(sluice.env.MONGODB_URL as string);
});
afterAll(async () => {
  await mongo.close();
  await Promise.all([sluice.stop(), hasty.stop()]);
});
beforeEach(() => {
  client = importClient(sluice, token);
});

const small = ndjson([{ n: 1 }, { n: 2 }]);
const random = (length: number) => Array.from({ length }, () => Math.random().toString(36).slice(2)).join('');
const zipped = await promisify(gzip)(small);
const zippedTwice = await promisify(gzip)(zipped);
const packed = await promisify(zstdCompress)(small);
const bomb = await promisify(zstdCompress)('\n'.repeat(11 * limit));
const tooMuch = await promisify(zstdCompress)(random(20_000));
const encoded = (encoding: string) => ({ headers: { 'content-encoding': encoding } });
const csv = { type: types.csv };
const json = { type: types.json };

/** Nothing is left of an import that was refused. */
async function expectNothing(): Promise<void> {
  const left: [string, number][] = [];
  for (const name of ['jobs', 'chunks', 'parts', 'entries'])
    left.push([name, await mongo.db().collection(name).countDocuments({})]);
  expect(left.filter(([, count]) => count > 0)).toEqual([]);
}

describe('an import is refused as a whole, and nothing of it is left', () => {
  // biome-ignore format: a table, a row a line
  it.each<[what: string, body: string | Buffer, call: ImportCall, status: number, name: string, message: RegExp]>([
    ['text', small, { type: 'text/plain' }, 415, 'UnsupportedMediaTypeError', /x-ndjson, application\/json or text\/csv/],
    ['another charset', small, { type: 'text/csv; charset=latin1' }, 415, 'UnsupportedMediaTypeError', /latin1/],
    ['CSV without a header and without names', '1\n2\n', { type: 'text/csv; header=absent' }, 400, 'InvalidRequestError', /add \?columns=a,b/],
    ['a header that is neither there nor not', 'n\n1\n', { type: 'text/csv; header=maybe' }, 400, 'InvalidRequestError', /header=maybe/],
    ['names of columns beside a header', 'n\n1\n', { ...csv, query: '?columns=n' }, 400, 'InvalidRequestError', /names separated by commas need header=absent/],
    ['two columns that are to have one name', 'n,m\n1,2\n', { ...csv, query: '?columns=%7B"n":"a","m":"a"%7D' }, 400, 'InvalidRequestError', /"n" and "m" one name: "a"; nothing was stored/],
    ['another name for a column that is not there', 'n\n1\n', { ...csv, query: '?columns=%7B"x":"a"%7D' }, 400, 'MalformedBodyError', /no column "x".*nothing was stored/],
    ['another name that is no text', 'n\n1\n', { ...csv, query: '?columns=%7B"n":1%7D' }, 400, 'InvalidRequestError', /must give "n" a name, or null/],
    ['other names without a header', '1\n', { type: 'text/csv; header=absent', query: '?columns=%7B"n":"a"%7D' }, 400, 'InvalidRequestError', /header=absent needs the names/],
    ['other names beside NDJSON', small, { query: '?columns=%7B"n":"a"%7D' }, 400, 'InvalidRequestError', /columns is only for CSV/],
    ['names of columns that are the same', '1,2\n', { type: 'text/csv; header=absent', query: '?columns=n,n' }, 400, 'MalformedBodyError', /two columns/],
    ['a parameter of another type', small, { type: 'application/x-ndjson; header=absent' }, 415, 'UnsupportedMediaTypeError', /parameter header of Content-Type/],
    ['a parameter that nobody knows', 'n\n1\n', { type: 'text/csv; delimiter=";"' }, 415, 'UnsupportedMediaTypeError', /parameter delimiter of Content-Type/],
    ['another encoding', small, encoded('br'), 415, 'UnsupportedMediaTypeError', /only gzip and zstd/],
    ['two encodings', zipped, encoded('gzip, gzip'), 415, 'UnsupportedMediaTypeError', /only gzip and zstd/],
    ['an unknown query', small, { query: '?formula=raw' }, 400, 'InvalidRequestError', /formula/],
    ['other formulas', small, { query: '?formulas=maybe' }, 400, 'InvalidRequestError', /formulas/],
    ['an idempotency key', small, { headers: { 'idempotency-key': 'k' } }, 400, 'InvalidRequestError', /Idempotency-Key is not taken here/],
    ['no body', '', {}, 400, 'MalformedBodyError', /body is empty/],
    ['no body of CSV', '', csv, 400, 'MalformedBodyError', /body is empty/],
    ['an object for an array', '{"n":1}', json, 400, 'MalformedBodyError', /not a JSON array/],
    ['an array without an end', '[{"n":1},{"n":2}', json, 400, 'MalformedBodyError', /the array has no end/],
    ['something behind the array', '[{"n":1}]x', json, 400, 'MalformedBodyError', /follows the end of the array/],
    ['plain text that is said to be gzip', small, encoded('gzip'), 400, 'MalformedBodyError', /not gzip/],
    ['gzip that is said to be zstd', zipped, encoded('zstd'), 400, 'MalformedBodyError', /not zstd/],
    ['gzip that is cut off', zipped.subarray(0, -1), {}, 400, 'MalformedBodyError', /decompressed \(gzip\): unexpected end/],
    ['zstd that is cut off', packed.subarray(0, -1), encoded('zstd'), 400, 'MalformedBodyError', /decompressed \(zstd\): unexpected end/],
    ['gzip with a wrong byte', Buffer.concat([zipped.subarray(0, -6), Buffer.alloc(6)]), {}, 400, 'MalformedBodyError', /decompressed \(gzip\)/],
    ['something behind gzip', Buffer.concat([zipped, Buffer.from('garbage')]), {}, 400, 'MalformedBodyError', /decompressed \(gzip\)/],
    ['something behind zstd', Buffer.concat([packed, Buffer.from('garbage')]), {}, 400, 'MalformedBodyError', /decompressed \(zstd\)/],
    ['CSV without a header', '\n1,2\n', csv, 400, 'MalformedBodyError', /no header/],
    ['CSV with a name twice', 'n,n\n1,2\n', csv, 400, 'MalformedBodyError', /two columns/],
    ['CSV with a header that is no UTF-8', Buffer.from([0x6e, 0xff, 0x0a]), csv, 400, 'MalformedBodyError', /header of the CSV is not valid UTF-8/],
    ['CSV in UTF-16', Buffer.from('\ufeffn\n1\n', 'utf16le'), csv, 400, 'MalformedBodyError', /not text in UTF-8: it is UTF-16: convert it, such as with iconv/],
    ['NDJSON in UTF-16 without a mark', Buffer.from('{"n":1}', 'utf16le'), {}, 400, 'MalformedBodyError', /it looks like UTF-16LE without a byte order mark, which is a guess/],
    ['a spreadsheet', Buffer.from('PK\x03\x04', 'latin1'), csv, 400, 'MalformedBodyError', /such as a spreadsheet: save it as CSV/],
    ['gzip within gzip', zippedTwice, {}, 400, 'MalformedBodyError', /compressed twice: it is gzip within gzip/],
    ['CSV with a separator that there is not', 'sep=:\nn:m\n1:2\n', csv, 400, 'MalformedBodyError', /sep=:, but only , ; tab and \| may/],
    ['CSV without rows, as curl -d sends it', 'n21.522', csv, 400, 'MalformedBodyError', /no rows; with curl use --data-binary/],
    ['CSV whose only line says what separates cells', 'sep=;', csv, 400, 'MalformedBodyError', /no header/],
    ['CSV of empty lines without a header', '\n\r\n\r\r\n', { type: 'text/csv; header=absent', query: '?columns=n' }, 400, 'MalformedBodyError', /the CSV has no rows/],
    ['CSV without a header whose only line says what separates cells', 'sep=;\n', { type: 'text/csv; header=absent', query: '?columns=n' }, 400, 'MalformedBodyError', /the CSV has no rows/],
    ['a byte too many', `"${'x'.repeat(limit)}`, {}, 413, 'PayloadTooLargeError', /65536/],
    ['too much of zstd', tooMuch, encoded('zstd'), 413, 'PayloadTooLargeError', /65536/],
    ['ten times too much once it is decompressed', bomb, encoded('zstd'), 413, 'PayloadTooLargeError', /655360/],
  ])('for %s', async (_what, body, call, status, name, message) => {
    const answer = await client.start(domain, body, call);
    expect([answer.status, answer.body.error?.name]).toEqual([status, name]);
    expect(answer.body.error.message).toMatch(message);
    await expectNothing();
  });

  it.each([
    ['no token', () => domain, () => undefined, 401],
    [
      'an application of another owner',
      () => sluice.owner().then((other) => sluice.application(other.token)),
      () => token,
      404,
    ],
    ['an unknown application', () => 'nothing-abc234', () => token, 404],
  ])('for %s, before its body has come', async (_what, where, who, status) => {
    const bearer = who();
    const answer = await exchange(
      sluice.url,
      `/api/applications/${await where()}/imports`,
      [
        ...(bearer ? [`Authorization: Bearer ${bearer}`] : []),
        'Content-Type: text/csv',
        'Content-Length: 100',
      ],
      [],
    );
    expect(answer.status).toBe(status);
    await expectNothing();
  });
});

const raw = (
  headers: string[],
  pieces: Parameters<typeof exchange>[3],
  then?: 'wait' | 'end' | 'reset',
  { url } = sluice,
) =>
  exchange(
    url,
    `/api/applications/${domain}/imports`,
    [`Authorization: Bearer ${token}`, 'Content-Type: application/x-ndjson', ...headers],
    pieces,
    then,
  );

describe('an import whose body', () => {
  it.each([
    ['ends in the middle of its length', 'end', ['Content-Length: 100'], [small]],
    ['is reset in the middle of its length', 'reset', ['Content-Length: 100'], [small]],
    ['ends before its last piece', 'end', ['Transfer-Encoding: chunked'], [chunked(small)]],
    ['is reset before its last piece', 'reset', ['Transfer-Encoding: chunked'], [chunked(small)]],
    [
      'is refused in its middle',
      'end',
      ['Transfer-Encoding: chunked', 'Content-Encoding: gzip'],
      [chunked(small)],
    ],
  ] as const)('%s leaves nothing behind', async (_what, then, headers, pieces) => {
    const answer = await raw([...headers], [...pieces], then);
    expect([undefined, 400]).toContain(answer.status);
    await until(() =>
      expectNothing().then(
        () => true,
        () => false,
      ),
    );
  });

  it('stops coming is answered with 408, and leaves nothing behind', async () => {
    const answer = await raw(['Content-Length: 100'], [small], 'wait', hasty);
    expect([answer.status, answer.body.error.name]).toEqual([408, 'RequestTimeoutError']);
    await until(() =>
      expectNothing().then(
        () => true,
        () => false,
      ),
    );
  });

  it('comes slowly, but comes, may take longer than any other request', async () => {
    let isOver = false;
    const other = exchange(
      hasty.url,
      `/api/applications/${domain}/data`,
      ['Content-Type: application/json', 'Content-Length: 100'],
      [],
    );
    other.finally(() => {
      isOver = true;
    });
    async function* slowly() {
      yield chunked('{"n":1}');
      while (!isOver) {
        yield chunked('\n');
        await sluice.request('GET', '/health/live');
      }
      yield chunked('{"n":2}');
      yield chunked('');
    }
    const answer = await raw(['Transfer-Encoding: chunked'], slowly(), 'wait', hasty);
    expect((await other).status).toBe(408);
    expect([answer.status, answer.body.error, answer.body.data?.progress]).toEqual([
      202,
      undefined,
      { done: 0, total: 2 },
    ]);
    await sluice.request('DELETE', `/applications/${domain}/imports/${answer.body.data.id}`, { token });
  });
});

describe('one owner', () => {
  const large = random(5_000).slice(0, 50_000);

  it('whose unfinished imports hold too much is told to wait', async () => {
    const { token: own } = await sluice.owner();
    const where = await sluice.application(own);
    const theirs = importClient(sluice, own);
    const statuses: number[] = [];
    while (!statuses.includes(429) && statuses.length < 20)
      statuses.push((await theirs.start(where, random(5_000))).status);
    expect(statuses.length).toBeGreaterThan(3);
    const { status, headers, body } = await theirs.start(where, large);
    expect([status, body.error.name]).toEqual([429, 'TooManyRequestsError']);
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await client.start(domain, small)).status).toBe(202);
  });

  it('has at most 100 unfinished imports', async () => {
    const { token: own } = await sluice.owner();
    const where = await sluice.application(own);
    const theirs = importClient(sluice, own);
    const all = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const statuses: number[] = [];
        for (let i = 0; i < 5; i++) statuses.push((await theirs.start(where, '{}')).status);
        return statuses;
      }),
    );
    expect(all.flat().filter((status) => status !== 202)).toEqual([]);
    const { status, body } = await theirs.start(where, '{}');
    expect([status, body.error.message]).toEqual([
      429,
      expect.stringMatching(
        /^you have reached your limit of 100 unfinished jobs; .*delete one, .*; nothing was stored$/,
      ),
    ]);
  });
});
