import { describe, expect, it } from 'vitest';
import { readFile } from './read-file.ts';
import { mostRows, readSample } from './read-sample.ts';

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
    ['nothing', '  \n', []],
  ])('may be %s', (_what, text, rows) => {
    expect(readSample(text)).toEqual({ rows });
  });

  it.each([
    ['a row that is no object', '{"a":1}\n[2]', 2, 'not a JSON object'],
    ['an element that is no object', '[{"a":1},null]', 2, 'not a JSON object'],
    ['broken JSON', '{"a":1}\n\n{"a":', 3, 'JSON'],
    ['a CSV row with a cell too many', 'a,b\n1,2\n1,2,3\n', 3, '3'],
    ['a CSV quote without an end', 'a,b\n1,"2\n', 2, 'uote'],
  ])('is refused for %s, with its row', (_what, text, row, message) => {
    const { rows, problem } = readSample(text);
    expect(rows).toEqual([]);
    expect(problem?.row).toBe(row);
    expect(problem?.message).toContain(message);
  });

  it('is looked at up to a number of rows', () => {
    expect(readSample('{"a":1}\n'.repeat(mostRows + 5)).rows).toHaveLength(mostRows);
  });
});

describe('a file', () => {
  it('is read at its start alone', async () => {
    const line = `{"text":"${'x'.repeat(2_000)}"}\n`;
    const file = new File([line.repeat(3_000)], 'large.ndjson');
    const { rows, problem } = readSample(await readFile(file));
    expect(problem).toBeUndefined();
    expect(rows).toHaveLength(mostRows);
  });

  it('may hold an array', async () => {
    const file = new File([JSON.stringify(Array.from({ length: 1_200 }, (_, n) => ({ n })))], 'a.json');
    expect(readSample(await readFile(file)).rows).toHaveLength(mostRows);
  });
});
