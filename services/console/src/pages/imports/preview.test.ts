import { describe, expect, it } from 'vitest';
import type { FileType } from './file-type.ts';
import { fileTypeOf, isCompressed } from './file-type.ts';
import { readPreview } from './preview.ts';

const preview = (type: FileType, text: string) => readPreview(new Blob([text]), type);

describe('the first rows of a file', () => {
  it.each<[FileType, string]>([
    ['ndjson', '{"n":1,"t":"a"}\n\n{"n":1.5,"o":{"x":[1]}}\n'],
    ['json', '[{"n":1,"t":"a"},{"n":1.5,"o":{"x":[1]}}]'],
    ['csv', '\uFEFFn,t,o\r\n1,a,\r\n1.5,,"{""x"":[1]}"\r\n'],
  ])('are shown with the types of what is in them: %s', async (type, text) => {
    const object = type === 'csv' ? 'string' : 'object';
    expect(await preview(type, text)).toEqual({
      columns: [
        { name: 'n', type: 'integer | number' },
        { name: 't', type: 'string' },
        { name: 'o', type: object },
      ],
      rows: [
        { number: 1, cells: ['1', 'a', ''] },
        { number: 2, cells: ['1.5', '', '{"x":[1]}'] },
      ],
    });
  });

  it('are five', async () => {
    const lines = Array.from({ length: 9 }, (_, n) => `{"n":${n}}`).join('\n');
    expect((await preview('ndjson', lines))?.rows.map(({ cells }) => cells[0])).toEqual([...'01234']);
  });

  it.each<[FileType, string]>([
    ['ndjson', 'n;t\n1;2'],
    ['json', '{"n":1'],
    ['json', '[]'],
    ['csv', ''],
  ])('are not shown of what cannot be read: %s %s', async (type, text) => {
    expect(await preview(type, text)).toBeUndefined();
  });
});

it.each([
  ['a.csv', 'csv', false],
  ['a.b.CSV.gz', 'csv', true],
  ['a.jsonl.zst', 'ndjson', true],
  ['a.ndjson', 'ndjson', false],
  ['a.json', 'json', false],
  ['csv', undefined, false],
  ['a.parquet', undefined, false],
])('the name of a file tells what it is: %s', (name, type, compressed) => {
  expect([fileTypeOf(name), isCompressed(name)]).toEqual([type, compressed]);
});
