import { once } from 'node:events';
import { type IncomingMessage, request as open } from 'node:http';
import { describe, expect, it } from 'vitest';
import { importClient, types } from '../support/import-client.ts';
import { sharedSluice, until } from '../support/sluice.ts';
import { ndjson } from '../support/upload-client.ts';

/** Paths. */
/** Of the file of `csv`. */
const length = 265;

type Headers = Record<string, string>;

/** `fetch` would add headers of its own. */
async function ask(path: string, headers: Headers = {}, method = 'GET') {
  const sent = open(`${sluice.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage];
  const bytes = Buffer.concat(await answer.toArray());
  return { status: answer.statusCode as number, headers: answer.headers, bytes };
}

async function fileOf(path: string, json: object): Promise<string> {
  const { body } = await sluice.request('POST', path, { token, json });
  const job = `${path}/${body.data.id}`;
  await until(async () => (await sluice.request('GET', job, { token })).body.data.state === 'completed');
  return `/api${job}/file`;
}

const sluice = await sharedSluice();
const { token } = await sluice.owner();
const schema = { type: 'object', properties: { n: { type: 'integer' } } };
const domain = await sluice.application(token, schema);
await sluice.request('POST', `/applications/${domain}/data/batch`, {
  body: ndjson(Array.from({ length: 9 }, (_, n) => ({ n }))),
  headers: { 'content-type': types.ndjson },
});
const csv = await fileOf(`/applications/${domain}/exports`, {});
const streamed = `/api/applications/${domain}/export`;
const { headers, bytes } = await ask(csv);
const tag = headers.etag as string;
const whole = bytes;
const other = await sluice.application(token, schema);
const empty = await fileOf(`/applications/${other}/exports`, { format: 'ndjson' });

const past = 'Thu, 01 Jan 1970 00:00:00 GMT';
const future = 'Fri, 01 Jan 2100 00:00:00 GMT';
const far = '9'.repeat(20);

/** `TAG` stands for the tag of the file, `LAST` for the place of its last byte. A part is said by its places. */
const table: [section: string, headers: Headers, answer: string][] = [
  ['14.1.2 first and last', { range: 'bytes=0-9' }, '206 0-9'],
  ['14.1.2 one byte', { range: 'bytes=0-0' }, '206 0-0'],
  ['14.1.2 up to the last byte', { range: 'bytes=5-LAST' }, '206 5-LAST'],
  ['14.1.2 beyond the last byte', { range: 'bytes=5-9999' }, '206 5-LAST'],
  ['14.1.2 far beyond the last byte', { range: `bytes=5-${far}` }, '206 5-LAST'],
  ['14.1.2 without an end', { range: 'bytes=5-' }, '206 5-LAST'],
  ['14.1.2 with zeros before', { range: 'bytes=005-009' }, '206 5-9'],
  ['14.1.2 from behind the last byte', { range: `bytes=${length}-` }, '416'],
  ['14.1.2 from behind the last byte', { range: `bytes=${length}-${length}` }, '416'],
  ['14.1.2 from far behind', { range: `bytes=${far}-` }, '416'],
  ['14.1.1 the last before the first', { range: 'bytes=9-5' }, '200'],
  ['14.1.1 the last before the first, both behind the end', { range: 'bytes=999-998' }, '200'],
  ['14.1.2 a suffix', { range: 'bytes=-1' }, '206 LAST-LAST'],
  ['14.1.2 a suffix as long as the file', { range: `bytes=-${length}` }, '206 0-LAST'],
  ['14.1.2 a longer suffix', { range: `bytes=-${length + 1}` }, '206 0-LAST'],
  ['14.1.2 a longer suffix', { range: 'bytes=-65536' }, '206 0-LAST'],
  ['14.1.2 a far longer suffix', { range: `bytes=-${far}` }, '206 0-LAST'],
  ['14.1.2 a suffix of nothing', { range: 'bytes=-0' }, '416'],
  ['14.1 units in any case', { range: 'Bytes=0-9' }, '206 0-9'],
  ['14.1 an unknown unit', { range: 'rows=0-9' }, '200'],
  ['14.1 no unit', { range: '0-9' }, '200'],
  ['14.1 no unit', { range: '=0-9' }, '200'],
  ...['', '-', '--1', '5', 'a-b', '0-9x', '+0-9', '0x0-9', '0.0-9', '0-9-', '0 - 9', '0-9;5-6'].map(
    (set): [string, Headers, string] => ['14.1.1 no range', { range: `bytes=${set}` }, '200'],
  ),
  ['14.2 several ranges', { range: 'bytes=0-1,5-6' }, '200'],
  ['14.2 several ranges, of which one is behind the end', { range: 'bytes=0-1,9999-' }, '200'],
  ['14.2 several ranges', { range: 'bytes=-1, 0-' }, '200'],
  ['5.6.1.2 empty elements of a list', { range: 'bytes=, 0-9 ,' }, '206 0-9'],

  ['13.1.1', { 'if-match': 'TAG' }, '200'],
  ['13.1.1 a list', { 'if-match': '"other" ,TAG' }, '200'],
  ['13.1.1 any', { 'if-match': '*' }, '200'],
  ['13.1.1 another tag', { 'if-match': '"other"' }, '412'],
  ['13.1.1 a weak tag', { 'if-match': 'W/TAG' }, '412'],
  ['13.1.1 no tag', { 'if-match': '' }, '412'],
  ['13.1.1 of a range', { 'if-match': 'TAG', range: 'bytes=0-9' }, '206 0-9'],
  ['13.1.1 of a range', { 'if-match': '"other"', range: 'bytes=0-9' }, '412'],
  ['13.1.2', { 'if-none-match': 'TAG' }, '304'],
  ['13.1.2 a weak tag', { 'if-none-match': 'W/TAG' }, '304'],
  ['13.1.2 a list', { 'if-none-match': 'W/"other",\tW/TAG , "x"' }, '304'],
  ['13.1.2 any', { 'if-none-match': '*' }, '304'],
  ['13.1.2 another tag', { 'if-none-match': '"other"' }, '200'],
  ['13.1.2 another weak tag', { 'if-none-match': 'W/"other"' }, '200'],
  ['8.8.3 W is a capital letter', { 'if-none-match': 'w/TAG' }, '200'],
  // A server that says no date of a file leaves such conditions out.
  ['13.1.3', { 'if-modified-since': future }, '200'],
  ['13.1.3', { 'if-modified-since': past }, '200'],
  ['13.1.3 beside a tag', { 'if-none-match': '"other"', 'if-modified-since': future }, '200'],
  ['13.1.3 beside a tag', { 'if-none-match': 'TAG', 'if-modified-since': past }, '304'],
  ['13.1.4', { 'if-unmodified-since': past }, '200'],
  ['13.1.4 beside a tag', { 'if-match': '"other"', 'if-unmodified-since': future }, '412'],
  ['13.1.4 beside a tag', { 'if-match': 'TAG', 'if-unmodified-since': past }, '200'],
  ['13.1.5', { 'if-range': 'TAG', range: 'bytes=0-9' }, '206 0-9'],
  ['13.1.5 a suffix', { 'if-range': 'TAG', range: 'bytes=-65536' }, '206 0-LAST'],
  ['13.1.5 another tag', { 'if-range': '"other"', range: 'bytes=0-9' }, '200'],
  ['13.1.5 a weak tag', { 'if-range': 'W/TAG', range: 'bytes=0-9' }, '200'],
  ['13.1.5 a date', { 'if-range': future, range: 'bytes=0-9' }, '200'],
  ['13.1.5 without a range', { 'if-range': '"other"' }, '200'],
  ['13.1.5 behind the end', { 'if-range': 'TAG', range: 'bytes=9999-' }, '416'],
  ['13.1.5 behind the end of another file', { 'if-range': '"other"', range: 'bytes=9999-' }, '200'],
  ['13.2.2 If-Match first', { 'if-match': '"other"', 'if-none-match': 'TAG' }, '412'],
  ['13.2.2 then If-None-Match', { 'if-match': 'TAG', 'if-none-match': 'TAG' }, '304'],
  ['13.2.2 then the range', { 'if-none-match': 'TAG', range: 'bytes=0-9' }, '304'],
  ['13.2.2 then the range', { 'if-none-match': 'TAG', range: 'bytes=9999-' }, '304'],
  ['13.2.2 then the range', { 'if-match': '"other"', range: 'bytes=9999-' }, '412'],
];

const fill = (text: string) => text.replaceAll('TAG', tag).replaceAll('LAST', String(length - 1));
const filled = (headers: Headers) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]));

function bytesOf(answer: string): Buffer {
  if (answer === '200') return whole;
  const [, first, last] = /^206 (\d+)-(\d+)$/.exec(answer) ?? [];
  return whole.subarray(Number(first), Number(last) + 1);
}

describe('RFC 9110, of a file with a strong tag and no date', () => {
  it.each(table)('%s: %j is %s', async (_section, headers, told) => {
    const answer = fill(told);
    const got = await ask(csv, filled(headers));
    expect(String(got.status)).toBe(answer.slice(0, 3));
    expect(got.headers.etag).toBe(tag);
    // What a 304 says is what a 200 would say (15.4.5), and so of a 206 (15.3.7).
    if (got.status < 400)
      expect(got.headers).toMatchObject({ vary: 'accept-encoding', 'cache-control': 'private, no-cache' });
    if (got.status === 304) expect([got.bytes.length, got.headers['content-length']]).toEqual([0, undefined]);
    if (got.status === 412) expect(JSON.parse(String(got.bytes)).error.name).toBe('PreconditionFailedError');
    if (got.status === 416)
      expect([got.headers['content-range'], JSON.parse(String(got.bytes)).error.name]).toEqual([
        `bytes */${length}`,
        'RangeNotSatisfiableError',
      ]);
    if (got.status === 206)
      expect(got.headers['content-range']).toBe(`bytes ${answer.slice('206 '.length)}/${length}`);
    if (got.status < 300) expect(got.bytes.equals(bytesOf(answer))).toBe(true);
  });

  it('14.2: only GET has ranges', async () => {
    for (const [section, headers, answer] of table) {
      const { status, bytes } = await ask(csv, filled(headers), 'HEAD');
      const expected = /^(206|416)/.test(answer) ? 200 : Number(answer);
      expect([section, headers, status, bytes.length]).toEqual([section, headers, expected, 0]);
    }
  });

  it.each([
    [{}, 200],
    [{ range: 'bytes=-65536' }, 200],
    [{ range: 'bytes=-0' }, 416],
    [{ range: 'bytes=0-' }, 416],
    [{ range: 'bytes=0-9' }, 416],
  ] as [Headers, number][])('14.1.2, of an empty file: %j is %s', async (headers, expected) => {
    const { status, headers: got, bytes } = await ask(empty, headers);
    expect(status).toBe(expected);
    expect([got['content-range'], bytes.length]).toEqual(
      expected === 200 ? [undefined, 0] : ['bytes */0', expect.any(Number)],
    );
  });

  it.each([
    [{ 'if-none-match': 'TAG' }, 200],
    [{ 'if-none-match': 'GZIPPED' }, 304],
    [{ 'if-match': 'TAG' }, 412],
    [{ 'if-match': 'GZIPPED' }, 200],
    [{ 'if-range': 'TAG', range: 'bytes=0-9' }, 206],
    [{ 'if-range': 'GZIPPED', range: 'bytes=0-9' }, 200],
  ] as [Headers, number][])('8.8.3.3, compressed it is another one: %j is %s', async (headers, expected) => {
    const sent = { ...filled(headers), 'accept-encoding': 'gzip' };
    for (const [name, value] of Object.entries(sent))
      sent[name as keyof typeof sent] = value.replace('GZIPPED', `${tag.slice(0, -1)}-gzip"`);
    expect((await ask(csv, sent)).status).toBe(expected);
  });
});

describe('the same rules hold', () => {
  const rows: [Headers, number][] = [
    [{ range: 'bytes=-65536' }, 206],
    [{ range: 'bytes=9-5' }, 200],
    [{ 'if-match': '"other"' }, 412],
    [{ 'if-none-match': 'W/TAG' }, 304],
  ];

  async function expectRows(path: string): Promise<void> {
    const { headers } = await ask(path);
    const own = (text: string) => text.replace('TAG', headers.etag as string);
    for (const [sent, expected] of rows) {
      const named = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, own(value)]));
      expect([named, (await ask(path, named)).status]).toEqual([named, expected]);
    }
  }

  it('of the report of an import, and of a rehearsal', async () => {
    const domain = await sluice.application(token, { type: 'object', required: ['n'] });
    const { complete } = importClient(sluice, token);
    const { job } = await complete(domain, '{"n":1}\n{}\n');
    await expectRows(job.file.url);
    const schema = { type: 'object', properties: { n: { type: 'string' } } };
    await expectRows(await fileOf(`/applications/${domain}/rehearsals`, { schema }));
  });
});

describe('no ranges', () => {
  it.each([
    ['a streamed export', 'none', () => streamed],
    [
      'a file of the console',
      undefined,
      async () => {
        const page = String((await ask('/')).bytes);
        return /src="(\/assets\/[^"]+)"/.exec(page)?.[1] as string;
      },
    ],
  ])('has %s, which is sent whole', async (_what, told, find) => {
    const path = await find();
    const all = await ask(path);
    expect([all.status, all.headers['accept-ranges']]).toEqual([200, told]);
    for (const condition of [`${all.headers.etag}`, undefined]) {
      const ofTag: Headers = condition ? { 'if-range': condition } : {};
      const { status, bytes } = await ask(path, { range: 'bytes=0-9', ...ofTag });
      expect([status, bytes.equals(all.bytes)]).toEqual([200, true]);
    }
  });
});
