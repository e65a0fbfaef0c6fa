import { createHash } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { importClient, types } from '../support/import-client.ts';
import { sharedSluice } from '../support/sluice.ts';
import { uploadClient } from '../support/upload-client.ts';

const sluice = await sharedSluice();
const { token } = await sluice.owner();

const schema = {
  type: 'object',
  properties: { n: { type: 'integer' }, text: { type: 'string' }, list: { type: 'array' } },
  required: ['n'],
};

async function run(body: string | Buffer, type: string) {
  const domain = await sluice.application(token, schema);
  const { job, errors } = await importClient(sluice, token).complete(domain, body, { type });
  const payloads = (await uploadClient(sluice, token).payloads(domain)).reverse();
  return { domain, job, errors, payloads };
}

const counts = ({ job }: Awaited<ReturnType<typeof run>>) => [
  job.state,
  job.accepted,
  job.rejected,
  job.progress,
];
const long = 'x'.repeat(1.5 * 1024 ** 2);
const deep = `${'['.repeat(70)}${']'.repeat(70)}`;
const integer = { path: '/n', keyword: 'type', message: 'must be integer' };

describe('the report of an import', () => {
  it('comes as CSV too, with formulas escaped and the digits that were sent', async () => {
    const lines = [
      '{"n":"a","text":"x, \\"y\\""}',
      '=1+1',
      '{"n":1.50,"id":12345678901234567890}',
      '{"n":1}',
    ];
    const { domain, job, errors } = await run(lines.join('\n'), types.ndjson);
    const path = `/applications/${domain}/imports/${job.id}/file?format=csv`;
    const answer = await fetch(`${sluice.url}/api${path}`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toMatch(/import-\w+\.csv"$/);
    expect(parse(await answer.text(), { columns: true })).toEqual([
      { line: '1', name: 'SchemaValidationError', message: errors[0].message, path: '/n', payload: lines[0] },
      {
        line: '2',
        name: 'MalformedBodyError',
        message: errors[1].message,
        path: '',
        payload: `'${lines[1]}`,
      },
      {
        line: '3',
        name: 'SchemaValidationError',
        message: errors[2].message,
        path: '/id',
        payload: lines[2],
      },
    ]);
  });

  it('of NDJSON names each refused line by its number, with all reasons and the line itself', async () => {
    const lines = [
      '{"n":1}',
      '',
      '{"n":"a","text":2}',
      '  \t',
      '{"n":1',
      '{"n":12345678901234567890}',
      '[1]',
      '\uFEFF{"n":3}',
      long,
      `{"n":2,"list":${deep}}`,
      '{"n":4,"n":5}',
      '{"n":6}',
    ];
    const done = await run(`\uFEFF${lines.join('\r\n')}`, types.ndjson);
    expect(counts(done)).toEqual(['completed', 2, 8, { done: 10, total: 10 }]);
    expect(done.payloads).toEqual([{ n: 1 }, { n: 6 }]);
    expect(done.errors).toMatchObject([
      {
        line: 3,
        name: 'SchemaValidationError',
        message: `the payload does not conform to the schema of ${done.domain}`,
        details: [integer, { path: '/text', keyword: 'type', message: 'must be string' }],
        payload: { n: 'a', text: 2 },
      },
      {
        line: 5,
        name: 'MalformedBodyError',
        message: expect.stringContaining('the line is not JSON'),
        payload: '{"n":1',
      },
      { line: 6, name: 'SchemaValidationError', message: 'the payload cannot be stored exactly as it is' },
      { line: 7, name: 'SchemaValidationError', payload: [1] },
      { line: 8, name: 'MalformedBodyError' },
      {
        line: 9,
        name: 'PayloadTooLargeError',
        message: 'the line is over the limit of 1048576 bytes',
        payload: `${long.slice(0, 64 * 1024)}… (cut off)`,
      },
      { line: 10, name: 'SchemaValidationError' },
      { line: 11, name: 'SchemaValidationError' },
    ]);
  });

  it('of an array counts elements, and gives their numbers as they were', async () => {
    const done = await run('[{"n":1},\n{"n":\n1e400},{"n":2} ,nonsense]', types.json);
    expect(counts(done)).toEqual(['completed', 2, 2, { done: 4, total: 4 }]);
    expect(done.payloads).toEqual([{ n: 1 }, { n: 2 }]);
    expect(done.errors.map(({ line, name }) => [line, name])).toEqual([
      [2, 'SchemaValidationError'],
      [4, 'MalformedBodyError'],
    ]);
    const { text } = await sluice.request('GET', `/applications/${done.domain}/imports/${done.job.id}/file`, {
      token,
    });
    expect(text).toContain('"payload":{"n": 1e400}}\n');
    expect(text).toContain('"payload":"nonsense"}\n');
  });

  it('of CSV counts records, the header as the first, and tells what a row became', async () => {
    const csv = [
      'n,text,list',
      '1,"a\nb",',
      '',
      'x,2,',
      '3',
      '4,a,b,c',
      '5,"a"b,',
      '6,,oops',
      '7,\'=1,"[1,2]"',
    ];
    const done = await run(csv.join('\n'), types.csv);
    expect(counts(done)).toEqual(['completed', 2, 5, { done: 7, total: 7 }]);
    expect(done.payloads).toEqual([
      { n: 1, text: 'a\nb' },
      { n: 7, text: '=1', list: [1, 2] },
    ]);
    expect(done.errors).toMatchObject([
      { line: 4, name: 'SchemaValidationError', details: [integer], payload: { n: 'x', text: '2' } },
      {
        line: 5,
        name: 'MalformedBodyError',
        message: 'the record has 1 cells, there are 3 columns',
        payload: '3',
      },
      { line: 6, name: 'MalformedBodyError', message: 'the record has 4 cells, there are 3 columns' },
      { line: 7, name: 'MalformedBodyError', message: 'cell 2 has text after its closing quote' },
      { line: 8, name: 'SchemaValidationError', payload: { n: 6, list: 'oops' } },
    ]);
  });

  it('is the file of the job, with its length and hash', async () => {
    const { domain, job } = await run('{"n":1}\n{}\n{"n":"a"}\n', types.ndjson);
    const path = `/applications/${domain}/imports/${job.id}/file`;
    const { status, text } = await sluice.request('GET', path, { token });
    expect(status).toBe(200);
    expect(job.file).toMatchObject({
      url: `/api${path}`,
      rows: 2,
      bytes: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
    });
    expect(text.split('\n').map((line) => line && JSON.parse(line).line)).toEqual([2, 3, '']);
  });

  it.each([
    ['lines that are all stored', '{"n":1}', types.ndjson, 1],
    ['no elements', '[ ]', types.json, 0],
    ['a header and nothing else', 'n,"text"\r\n', types.csv, 0],
    ['blank lines', '\n \n', types.ndjson, 0],
  ])('of %s is an empty file', async (_what, body, type, accepted) => {
    const done = await run(body, type);
    expect(counts(done)).toEqual(['completed', accepted, 0, { done: accepted, total: accepted }]);
    const path = `/applications/${done.domain}/imports/${done.job.id}/file`;
    const { status, text } = await sluice.request('GET', path, { token });
    expect([status, text, done.job.file.bytes]).toEqual([200, '', 0]);
  });

  it('has every line where the schema takes none', async () => {
    const lines = 12_000;
    const done = await run('{"n":null}\n'.repeat(lines), types.ndjson);
    expect(counts(done)).toEqual(['completed', 0, lines, { done: lines, total: lines }]);
    expect(done.errors.map(({ line }) => line)).toEqual(Array.from({ length: lines }, (_, i) => i + 1));
  });
});

describe('an import', () => {
  it('records the fields that no schema names, so that an export has them', async () => {
    const { domain } = await run('n,a.b,/c~1d\n1,x,2\n', types.csv);
    expect(await uploadClient(sluice, token).fields(domain)).toEqual(['/a/b', '/c~1d']);
    const { text } = await sluice.request('GET', `/applications/${domain}/export`, { token });
    expect(text.split('\r\n').map((row) => row.split(',').slice(1).join())).toEqual([
      'n,text,list,a.b,c/d',
      '1,,,x,2',
      '',
    ]);
  });

  it("takes what an export wrote, and leaves the export's time out", async () => {
    const first = await run(
      '{"n":1,"text":"=1","list":[1,{"a":null}]}\n{"n":2,"text":"","more":{"x":"1"}}\n',
      types.ndjson,
    );
    const { text: csv } = await sluice.request('GET', `/applications/${first.domain}/export`, { token });
    const second = await run(csv, types.csv);
    expect([second.errors, second.payloads]).toEqual([[], first.payloads]);
  });

  it('stands in the list with its counts, and events tell of it', async () => {
    const { domain, job } = await run('{"n":1}\n{}\n', types.ndjson);
    const list = await sluice.request('GET', `/applications/${domain}/imports`, { token });
    expect(list.body.data).toMatchObject([{ id: job.id, kind: 'import', accepted: 1, rejected: 1 }]);
    const events = await sluice.request('GET', `/applications/${domain}/imports/${job.id}/events`, { token });
    expect(events.text).toContain('event: end');
  });
});
