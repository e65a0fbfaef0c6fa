import { describe, expect, it } from 'vitest';
import { fileTypeOf, isCompressed, readPreview } from './preview.ts';

const preview = (text: string) => readPreview(new File([text], 'file'));

describe('the first rows of a file', () => {
  it.each([
    ['ndjson', '{"n":1,"t":"a"}\n\n{"n":1.5,"o":{"x":[1]}}\n', [1, 3]],
    ['json', '[{"n":1,"t":"a"},{"n":1.5,"o":{"x":[1]}}]', [1, 2]],
    ['csv', '\uFEFFn,t,o\r\n1,a,\r\n1.5,,"{""x"":[1]}"\r\n', [2, 3]],
    ['csv with semicolons', 'n;t;o\r\n1;a;\r\n1.5;;"{""x"":[1]}"\r\n', [2, 3]],
  ])('are shown with the types of what is in them: %s', async (_type, text, numbers) => {
    expect(await preview(text)).toEqual({
      columns: [
        { name: 'n', type: 'integer | number' },
        { name: 't', type: 'string' },
        { name: 'o', type: 'object' },
      ],
      rows: [
        { number: numbers[0], cells: ['1', 'a', ''] },
        { number: numbers[1], cells: ['1.5', '', '{"x":[1]}'] },
      ],
      problems: [],
    });
  });

  it('are five, with the types of the others', async () => {
    const lines = Array.from({ length: 9 }, (_, n) => `{"n":${n === 8 ? null : n}}`).join('\n');
    const { columns, rows } = await preview(lines);
    expect(rows.map(({ cells }) => cells[0])).toEqual([...'01234']);
    expect(columns).toEqual([{ name: 'n', type: 'integer | null' }]);
  });

  it('say which row will be refused, and show the others', async () => {
    const { rows, problems } = await preview('{"n":1}\n{"n":\n{"n":3}\n');
    expect(rows.map(({ cells }) => cells)).toEqual([['1'], ['3']]);
    expect(problems.map(({ row }) => row)).toEqual([2]);
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
