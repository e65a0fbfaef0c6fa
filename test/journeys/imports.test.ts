import { describe, expect, it } from 'vitest';
import { type Encoding, encodings, importClient, types } from '../support/import-client.ts';
import { sharedSluice, until } from '../support/sluice.ts';
import { ndjson, uploadClient } from '../support/upload-client.ts';

const sluice = await sharedSluice();
const { token } = await sluice.owner();

const schema = {
  type: 'object',
  properties: { n: { type: 'integer' }, text: { type: 'string' } },
  required: ['n'],
};
const payloads = Array.from({ length: 12_000 }, (_, n) => ({ n, text: `line ${n}, "quoted"\n` }));
const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
const bodies = {
  ndjson: ndjson(payloads),
  json: JSON.stringify(payloads),
  csv: `n,text\r\n${payloads.map(({ n, text }) => `${n},${quoted(text)}\r\n`).join('')}`,
};

describe.each(Object.keys(bodies) as (keyof typeof bodies)[])('an import of %s', (format) => {
  it.each(Object.keys(encodings) as Encoding[])(
    'that comes %s stores every line once, in order',
    async (encoding) => {
      const domain = await sluice.application(token, schema);
      const client = importClient(sluice, token);
      const body = await encodings[encoding](Buffer.from(bodies[format]));
      const { job, errors } = await client.complete(domain, body, {
        type: types[format],
        ...(encoding !== 'plain' && { headers: { 'content-encoding': encoding } }),
      });
      expect(job).toMatchObject({
        kind: 'import',
        state: 'completed',
        progress: { done: payloads.length, total: payloads.length },
        accepted: payloads.length,
        rejected: 0,
      });
      expect(errors).toEqual([]);
      expect((await uploadClient(sluice, token).payloads(domain)).reverse()).toEqual(payloads);
    },
  );
});

it('has the name that the client said, and the time when it is removed', async () => {
  const domain = await sluice.application(token, schema);
  const path = `/applications/${domain}/imports`;
  const headers = { 'content-type': types.ndjson };
  const name = 'Weather, März.ndjson';
  const query = new URLSearchParams({ name });
  const { body } = await sluice.request('POST', `${path}?${query}`, { token, body: '{"n":1}', headers });
  expect(body.data.name).toBe(name);
  await until(async () => {
    const { body } = await sluice.request('GET', path, { token });
    return body.data[0].name === name && Date.parse(body.data[0].expiresAt) > Date.now();
  });
});

describe('a CSV', () => {
  it('may begin with the line sep=; and says by name what is wrong with a row', async () => {
    const domain = await sluice.application(token, schema);
    const csv = Buffer.from(
      '\xef\xbb\xbfsep=;\r\nn;text\r\n1;a,b\r\n2;\xe9\r\n\xef\xbb\xbf3;c\r\n',
      'latin1',
    );
    const { job, errors } = await importClient(sluice, token).complete(domain, csv, { type: types.csv });
    expect(job).toMatchObject({ state: 'completed', accepted: 1, rejected: 2 });
    expect(errors).toMatchObject([
      {
        line: 4,
        message:
          'the record is not valid UTF-8 at byte 3; it looks like Windows-1252, which is a guess: convert it, such as with iconv -f WINDOWS-1252 -t UTF-8',
      },
      { line: 5, message: expect.stringContaining('cell 1 begins with a byte order mark') },
    ]);
    expect(await uploadClient(sluice, token).payloads(domain)).toEqual([{ n: 1, text: 'a,b' }]);
  });

  it('may have no header, if the request has the names', async () => {
    const domain = await sluice.application(token, schema);
    const call = {
      type: 'text/csv; charset=us-ascii; header="Absent"',
      query: '?columns=n,createdAt,text,/a.b,c.d',
    };
    const csv = '\r\n1;2;"x;\ny";3;4\r\n5;;z;;\r\nn;;;;\r\n6;7\r\n';
    const { job, errors } = await importClient(sluice, token).complete(domain, csv, call);
    expect(job).toMatchObject({ state: 'completed', accepted: 2, rejected: 2 });
    expect(errors).toMatchObject([
      { line: 4, payload: { n: 'n' } },
      { line: 5, message: 'the record has 2 cells, there are 5 columns' },
    ]);
    expect((await uploadClient(sluice, token).payloads(domain)).reverse()).toEqual([
      { n: 1, text: 'x;\ny', 'a.b': 3, c: { d: 4 } },
      { n: 5, text: 'z' },
    ]);
  });

  it('without a header may begin with a row over the limit, which is reported', async () => {
    const call = { type: 'text/csv; header=absent', query: '?columns=n,text' };
    const long = 'x'.repeat(1.5 * 1024 ** 2);
    for (const [csv, accepted] of [
      [`${long}\n1;a\n`, 1],
      [long, 0],
    ] as const) {
      const domain = await sluice.application(token, schema);
      const { job, errors } = await importClient(sluice, token).complete(domain, csv, call);
      expect(job).toMatchObject({ state: 'completed', accepted, rejected: 1 });
      expect(errors).toMatchObject([{ line: 1, name: 'PayloadTooLargeError' }]);
    }
  });

  it('is stored under other names as if its header had them', async () => {
    const named = 'Ort;x;n;"a b"\n1;2;3;"p;q"\n;;4\n5;6;seven;r\n';
    const columns = JSON.stringify({ Ort: 'text', x: null, 'a b': 'c.d' });
    const query = `?columns=${encodeURIComponent(columns)}`;
    const renamed = named.replace(/^.*\n/, 'text;createdAt;n;c.d\n');
    const outcomes = [];
    for (const [csv, call] of [
      [named, { type: types.csv, query }],
      [renamed, { type: types.csv }],
    ] as const) {
      const domain = await sluice.application(token, schema);
      const { job, errors } = await importClient(sluice, token).complete(domain, csv, call);
      const payloads = await uploadClient(sluice, token).payloads(domain);
      const refused = errors.map(({ line, details, payload }) => ({ line, details, payload }));
      outcomes.push({ accepted: job.accepted, refused, payloads });
    }
    expect(outcomes[0]).toEqual(outcomes[1]);
    expect(outcomes[0]).toMatchObject({ accepted: 1, payloads: [{ text: '1', n: 3, c: { d: 'p;q' } }] });
  });

  it.each([
    ['semicolons', ';'],
    ['tabs', '\t'],
    ['pipes', '|'],
  ])('may have %s, which the header says', async (_what, delimiter) => {
    const domain = await sluice.application(token, schema);
    const rows = [
      ['n', 'text', '"Price, EUR"'],
      ['1', '"a, b"', '2.50'],
      ['2', `"c${delimiter}d""\ne"`, 'none, or more'],
      ['3', 'too few'],
      ['4', 'f', ''],
    ];
    const csv = rows.map((cells) => `${cells.join(delimiter)}\r\n`).join('');
    const { job, errors } = await importClient(sluice, token).complete(domain, csv, { type: types.csv });
    expect(job).toMatchObject({ state: 'completed', accepted: 3, rejected: 1 });
    expect(errors).toMatchObject([{ line: 4, message: 'the record has 2 cells, there are 3 columns' }]);
    expect((await uploadClient(sluice, token).payloads(domain)).reverse()).toEqual([
      { n: 1, text: 'a, b', 'Price, EUR': 2.5 },
      { n: 2, text: `c${delimiter}d"\ne`, 'Price, EUR': 'none, or more' },
      { n: 4, text: 'f' },
    ]);
  });
});
