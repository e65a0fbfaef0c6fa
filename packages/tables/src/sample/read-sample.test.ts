import { readPayload } from '@sluice/bson/read-payload.ts';
import { describe, expect, it } from 'vitest';
import { readFile, readSample } from './read-sample.ts';
import { mostRows } from './split-rows.ts';

const valuesOf = (text: string) => readSample(text).rows.map(({ value }) => value);
const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

describe('a pasted sample', () => {
  it.each([
    ['one object', '{"a":1}', [{ a: 1 }]],
    ['one object over several lines', '{\n  "a": 1\n}\n', [{ a: 1 }]],
    ['an array', '[{"a":1},{"a":2}]', [{ a: 1 }, { a: 2 }]],
    ['NDJSON with blank lines', '{"a":1}\r\n\r\n{"a":2}\r\n', [{ a: 1 }, { a: 2 }]],
    ['a byte order mark', '\uFEFF{"a":1}', [{ a: 1 }]],
    [
      'CSV',
      'place,celsius\nOslo,-3.5\n"Rome, IT",12\n',
      [
        { place: 'Oslo', celsius: -3.5 },
        { place: 'Rome, IT', celsius: 12 },
      ],
    ],
    [
      'CSV with nested names',
      'a.b,a.c,d\n1,true,x\n,FALSE,\n',
      [{ a: { b: 1, c: true }, d: 'x' }, { a: { c: false } }],
    ],
    ['CSV whose column is not all numbers', 'zip\n0123\n12\n', [{ zip: '0123' }, { zip: '12' }]],
    ['CSV of one column', 'tags\n"[""a""]"\n', [{ tags: ['a'] }]],
    ['CSV of one column whose name begins a row of text', 'a\nb\n', [{ a: 'b' }]],
    [
      'CSV with semicolons',
      'place;celsius;note\nOslo;-3.5;"a;b, c"\n"Rome";12;\n',
      [
        { place: 'Oslo', celsius: -3.5, note: 'a;b, c' },
        { place: 'Rome', celsius: 12 },
      ],
    ],
    ['CSV with tabs', 'a\tb\n1\t\n', [{ a: 1 }]],
    [
      'CSV whose first line says what separates its cells',
      '\ufeffsep=;\r\na,b;c\r\n1;2,5\r\n',
      [{ 'a,b': 1, c: '2,5' }],
    ],
    ['CSV with pipes', '"a,b,c"|d\n1|2\n', [{ 'a,b,c': 1, d: 2 }]],
    [
      'CSV with escaped formulas and text that is empty',
      'f,t\n\'=1,""\n,x\n',
      [{ f: '=1', t: '' }, { t: 'x' }],
    ],
    [
      'CSV with pointers and the time of an export',
      'createdAt,/a.b\n2026-11-22T23:26:24.481Z,x\n',
      [{ 'a.b': 'x' }],
    ],
    ['CSV with cells over several lines', 'a,b\n"1\n2",3\n', [{ a: '1\n2', b: 3 }]],
    ['CSV with null among numbers', 'a\n1\nnull\n2.5\n', [{ a: 1 }, { a: null }, { a: 2.5 }]],
    ['objects that follow each other', '{\n "a": 1\n}\n\n{\n "a": 2\n}\n', [{ a: 1 }, { a: 2 }]],
    ['nothing', '  \n', []],
  ])('may be %s', (_what, text, values) => {
    expect(readSample(text).problems).toEqual([]);
    expect(valuesOf(text)).toEqual(values);
  });

  it.each([
    ['a row that is no object', '{"a":1}\n[2]', 2, 'not a JSON object'],
    ['an element that is no object', '[{"a":1},null]', 2, 'not a JSON object'],
    ['broken JSON', '{"a":1}\n\n{"a":', 3, 'JSON'],
    [
      'a byte order mark of a joined file',
      '{"a":1}\n\ufeff{"a":2}\n',
      2,
      'this is a byte order mark: only the start of a file',
    ],
    [
      'a byte order mark of a joined CSV',
      'a,b\n1,2\n\ufeffa,b\n3,4\n',
      3,
      'begins with a byte order mark: only the start of a file',
    ],
    ['a CSV row with a cell too many', 'a,b\n1,2\n1,2,3\n', 3, '3'],
    ['a CSV quote without an end', 'a,b\n1,"2\n', 2, 'uote'],
    ['a CSV quote within a cell', 'a;b\n1;2\n3;x"y\n', 3, 'uote'],
    ['a CSV number that no float holds', 'a\n1\n\n1e400\n', 4, '/a'],
    ['a CSV value with others below it', 'a,a.b\n1,\n1,2\n', 3, '/a'],
    ['a CSV header that is refused', 'a,b,__proto__.x\n1,2,3\n', 1, '__proto__'],
    ['a CSV whose only line says what separates cells', 'sep=;', 1, 'no header'],
    ['a CSV header with a name twice', 'a;b;a\n1;2;3\n', 1, 'the same'],
    ['an array without an end', '[{"a":1},{"a":2}', 2, 'no end'],
    ['an array with broken JSON', '[{"a":1},{"a":}]', 2, 'JSON'],
  ])('tells %s by its row', (_what, text, row, message) => {
    const { problems } = readSample(text);
    expect(problems.map((problem) => problem.row)).toEqual([row]);
    expect(problems[0]?.message).toContain(message);
  });

  describe('of a CSV with an odd cell', () => {
    const text = 'zip,celsius,on\n0123,1,true\n12,n/a,true\n34,3,true\n56,4,maybe\n78,5,false\n';

    it('tells the cell, and keeps the type of the column', () => {
      const { rows, problems, columns } = readSample(text);
      expect(rows.map(({ value }) => value)).toEqual([
        { zip: '0123', celsius: 1, on: true },
        { zip: '34', celsius: 3, on: true },
        { zip: '78', celsius: 5, on: false },
      ]);
      expect(problems.map(({ row, message }) => [row, message.slice(0, 40)])).toEqual([
        [3, expect.stringContaining('/celsius: "n/a" is not of type number')],
        [5, expect.stringContaining('/on: "maybe" is not of type boolean')],
      ]);
      expect(columns['/celsius']).toEqual({ kind: 'number', most: 'number', fits: 4, filled: 5 });
    });

    it('takes it where text is chosen', () => {
      const { rows, problems } = readSample(text, { '/celsius': 'string', '/on': 'string' });
      expect(problems).toEqual([]);
      expect(rows[1]?.value).toEqual({ zip: '12', celsius: 'n/a', on: 'true' });
    });
  });

  it.each([
    ['NDJSON', '{"a":1}\n{"a":\n\n{"a":1e400}\n{"a":3}\n', [1, 5], [2, 4]],
    ['an array', '[{"a":1},{"a":},{"__proto__":1},{"a":3}]', [1, 4], [2, 3]],
    ['CSV', 'a,b\n1,2\n3\n4,"5\n', [2], [3, 4]],
  ])('keeps the good rows of %s beside bad ones', (_what, text, good, bad) => {
    const { rows, problems } = readSample(text);
    expect([rows.map(({ row }) => row), problems.map(({ row }) => row)]).toEqual([good, bad]);
  });

  it.each(
    [
      nested(64),
      nested(65),
      nested(20_000),
      `[${'['.repeat(20_000)}${']'.repeat(20_000)}]`,
      '{"__proto__":1}',
      '{"\\u005f_proto__":{}}',
      '{"a":{"__proto__":1}}',
      '{"a":1e400}',
      '{"a":-1e400}',
      '{"a":1e308}',
      '{"a":0.12345678901234567890}',
      '{"a":9223372036854775807}',
      '{"a":9223372036854775808}',
      '{"a":1,"a":2}',
      '{"a":"\\ud800"}',
      '{"a":"\\u0000"}',
      '{"a\\u0000":1}',
      '{"_bsontype":1}',
      '{"a":{"$ref":"x.y","$id":1}}',
      '{"a":NaN}',
      '{"a":1,}',
    ].map((text) => [text.slice(0, 40), text]),
  )('is refused where an upload is: %s', (_start, text) => {
    const isTaken = readPayload(Buffer.from(text)).ok;
    for (const sample of [text, `${text}\n`, `{"n":1}\n${text}\n`, `[${text}]`]) {
      const problems = readSample(sample).problems;
      expect([sample.slice(0, 80), problems.length]).toEqual([sample.slice(0, 80), isTaken ? 0 : 1]);
    }
  });

  it('is looked at up to a number of rows', () => {
    expect(readSample('{"a":1}\n'.repeat(mostRows + 5)).rows).toHaveLength(mostRows);
  });
});

describe('a file', () => {
  it('is read at its start alone', async () => {
    const line = `{"text":"${'x'.repeat(2_000)}"}\n`;
    const file = new File([line.repeat(3_000)], 'large.ndjson');
    const { rows, problems } = readSample(await readFile(file));
    expect(problems).toEqual([]);
    expect(rows).toHaveLength(mostRows);
  });

  it.each([
    ['NDJSON', (row: object) => JSON.stringify(row), '', '\n', ''],
    ['an array', (row: object) => JSON.stringify(row, null, 1), '[\n', ',\n', '\n]\n'],
    ['CSV', ({ n, text }: { n: number; text: string }) => `${n};"${text}\n"`, 'n;text\n', '\n', '\n'],
  ])('of %s is cut between two rows, be it long or have many', async (_what, write, begin, between, end) => {
    for (const [count, length] of [
      [40, 200_000],
      [1_500, 3],
      [3, 3],
    ] as const) {
      const rows = Array.from({ length: count }, (_, n) => ({ n, text: 'é'.repeat(length) }));
      const file = new File([begin + rows.map(write).join(between) + end], 'file');
      const sample = readSample(await readFile(file));
      expect(sample.problems).toEqual([]);
      expect(sample.rows.map(({ value }) => (value as { n: number }).n)).toEqual(
        Array.from(sample.rows, (_, n) => n),
      );
      expect(sample.rows.length).toBeGreaterThan(Math.min(count, 10) - 1);
      expect(sample.rows.length).toBeLessThanOrEqual(mostRows);
    }
  });

  it('of one object may go over more lines than there are rows', async () => {
    const object = Object.fromEntries(Array.from({ length: mostRows + 5 }, (_, n) => [`key${n}`, n]));
    const file = new File([JSON.stringify(object, null, 1)], 'a.json');
    expect(readSample(await readFile(file)).rows).toEqual([{ row: 1, value: object }]);
  });

  it.each([
    [
      'CSV in Windows-1252',
      'id,\xe9\n1,2\n',
      'The file is not valid UTF-8 at byte 4; it looks like Windows-1252',
    ],
    [
      'a cell in Windows-1252',
      'id,e\n1,\xe9\n',
      'The file is not valid UTF-8 at byte 8; it looks like Windows-1252',
    ],
    ['UTF-16', '\xff\xfei\0d\0', 'The file is not text in UTF-8: it is UTF-16: convert it'],
    [
      'UTF-16 without a mark',
      '{\0"\0a\0"\0',
      'The file is not text in UTF-8: it looks like UTF-16LE without',
    ],
    ['gzip', '\x1f\x8b\x08\0', 'The file is not text in UTF-8: it looks like gzip: decompress it'],
    ['a spreadsheet', 'PK\x03\x04', 'it looks like a ZIP file, such as a spreadsheet: save it as CSV'],
  ])('in %s is refused, and says what it is', async (_what, bytes, message) => {
    const file = new File([Buffer.from(bytes, 'latin1')], 'a.csv');
    await expect(readFile(file)).rejects.toThrow(message);
  });

  it('whose first row is too long to be read says so', async () => {
    const file = new File([`{"a":"${'x'.repeat(5 * 1024 ** 2)}"}`], 'a.json');
    await expect(readFile(file)).rejects.toThrow('4 MiB');
  });
});
