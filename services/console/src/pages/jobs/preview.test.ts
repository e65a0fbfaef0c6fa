import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { fileTypeOf, type PreviewOptions, readPreview } from './preview.ts';

const schema = {
  type: 'object',
  properties: { n: { type: 'number' }, zip: { type: 'string' }, o: { type: 'object' } },
};

const preview = (text: string, options: Partial<PreviewOptions>) =>
  readPreview(new File([text], 'file'), { type: 'ndjson', isWrapped: false, schema, ...options });

describe('the first rows of a file', () => {
  it.each([
    ['ndjson', '{"n":1,"zip":"01"}\n\n{"n":1.5,"o":{"x":[1]}}\n', [1, 3]],
    ['json', '[{"n":1,"zip":"01"},{"n":1.5,"o":{"x":[1]}}]', [1, 2]],
    ['csv', '\uFEFFn,zip,o\r\n1,01,\r\n1.5,,"{""x"":[1]}"\r\n', [2, 3]],
  ] as const)('are read as the importer reads them: %s', async (type, text, numbers) => {
    expect(await preview(text, { type })).toEqual([
      { row: numbers[0], value: { n: 1, zip: '01' } },
      { row: numbers[1], value: { n: 1.5, o: { x: [1] } } },
    ]);
  });

  it('say which rows will be refused and why, beside the good ones', async () => {
    const rows = await preview('n;zip\n1;01\nwarm;02\n3\n4;04\n', { type: 'csv' });
    expect(rows.map(({ row, problem }) => [row, problem !== undefined])).toEqual([
      [2, false],
      [3, true],
      [4, true],
      [5, false],
    ]);
    expect(rows[1]).toMatchObject({ value: { n: 'warm' }, problem: expect.stringContaining('/n') });
  });

  it('are those of the payloads of an export', async () => {
    const text = '{"createdAt":"2026-11-21T04:00:00.000Z","payload":{"n":1}}\n{"n":2}\n';
    const rows = await preview(text, { isWrapped: true });
    expect(rows[0]).toEqual({ row: 1, value: { n: 1 } });
    expect(rows[1]).toMatchObject({ row: 2, problem: expect.any(String) });
  });

  it('are unpacked where the name says gzip', async () => {
    const file = new File([gzipSync('n\n1\n')], 'a.csv.gz');
    expect(await readPreview(file, { type: 'csv', isWrapped: false, schema })).toEqual([
      { row: 2, value: { n: 1 } },
    ]);
  });

  it('are the header alone where that is refused', async () => {
    const rows = await preview('n,n\n1,2\n', { type: 'csv' });
    expect(rows).toEqual([{ row: 1, problem: expect.stringContaining('the same') }]);
  });
});

it.each([
  ['a.csv', 'csv'],
  ['a.b.CSV.gz', 'csv'],
  ['a.jsonl.zst', 'ndjson'],
  ['a.ndjson', 'ndjson'],
  ['a.json', 'json'],
  ['csv', undefined],
  ['a.parquet', undefined],
])('the name of a file tells what it is: %s', (name, type) => {
  expect(fileTypeOf(name)).toEqual(type);
});
