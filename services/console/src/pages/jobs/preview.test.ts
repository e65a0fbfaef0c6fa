import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { toParameter } from './columns.ts';
import { fileTypeOf, type PreviewOptions, readPreview } from './preview.ts';

const schema = {
  type: 'object',
  properties: { n: { type: 'number' }, zip: { type: 'string' }, o: { type: 'object' } },
};

/** A frame of zstd that has no data (RFC 8878). */
const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 7]);

const whole = (file: File, options: Partial<PreviewOptions>) =>
  readPreview(file, { type: 'ndjson', isWrapped: false, schema, chosen: {}, ...options });
const rowsOf = async (file: File, options: Partial<PreviewOptions>) => (await whole(file, options)).rows;
const preview = (text: string, options: Partial<PreviewOptions>) => rowsOf(new File([text], 'file'), options);

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

  it.each([
    [
      'csv',
      'n,zip\n1,\xe9\n2,x\n',
      2,
      'The row is not valid UTF-8 at byte 3; it looks like Windows-1252, which is a guess',
    ],
    [
      'ndjson',
      '{"zip":"\xe9"}\n{"n":2}\n',
      1,
      'The row is not valid UTF-8 at byte 9; it looks like Windows-1252',
    ],
    [
      'csv',
      'n,\xe9\n1,2\n',
      1,
      'the header of the CSV is not valid UTF-8 at byte 3; it looks like Windows-1252',
    ],
    ['csv', '\xff\xfen\0\n\0', 1, 'The file is not text in UTF-8: it is UTF-16'],
  ] as const)('say which bytes the importer refuses: %s', async (type, bytes, row, message) => {
    const file = new File([Buffer.from(bytes, 'latin1')], 'file');
    const rows = await rowsOf(file, { type });
    expect(rows.filter(({ problem }) => problem)).toEqual([
      { row, problem: expect.stringContaining(message) },
    ]);
  });

  it('have the digits of the file', async () => {
    const [line] = await preview('{"n":9007199254740993,"o":{"x":1.0}}\n', {});
    expect(JSON.stringify(line?.value)).toBe('{"n":9007199254740993,"o":{"x":1.0}}');
    const [row] = await preview('n\n9007199254740993\n', { type: 'csv' });
    expect(JSON.stringify(row?.value)).toBe('{"n":9007199254740993}');
  });

  it('are those of the payloads of an export', async () => {
    const text = '{"createdAt":"2026-11-21T04:00:00.000Z","payload":{"n":1}}\n{"n":2}\n';
    const rows = await preview(text, { isWrapped: true });
    expect(rows[0]).toEqual({ row: 1, value: { n: 1 } });
    expect(rows[1]).toMatchObject({ row: 2, problem: expect.any(String) });
  });

  it.each([
    ['gzip', gzipSync('n\n1\n')],
    ['two members of gzip', Buffer.concat([gzipSync('n\n'), gzipSync('1\n')])],
    ['zstd', zstdCompressSync('n\n1\n')],
    ['zstd behind a frame to skip', Buffer.concat([skippable, zstdCompressSync('n\n1\n')])],
    ['gzip with zeros behind it', Buffer.concat([gzipSync('n\n1\n'), Buffer.alloc(9)])],
  ])('are unpacked, whatever the name: %s', async (_what, bytes) => {
    const file = new File([bytes], 'a.csv');
    expect(await rowsOf(file, { type: 'csv' })).toEqual([{ row: 2, value: { n: 1 } }]);
  });

  it.each([gzipSync, zstdCompressSync])('are those of the beginning of a large file', async (pack) => {
    const text = '{"n":1}\n'.repeat(2_000_000);
    const rows = await rowsOf(new File([pack(text)], 'a'), { type: 'ndjson' });
    expect(rows).toHaveLength(1_000);
  });

  it.each([gzipSync('n\n1\n'), zstdCompressSync('n\n1\n')])(
    'cannot be shown of a broken file',
    async (bytes) => {
      const file = new File([bytes.fill(0xff, 4)], 'a');
      await expect(rowsOf(file, { type: 'csv' })).rejects.toThrow();
    },
  );

  it('are the header alone where that is refused', async () => {
    const rows = await preview('n,n\n1,2\n', { type: 'csv' });
    expect(rows).toEqual([{ row: 1, problem: expect.stringContaining('the same') }]);
  });
});

describe('columns of a file', () => {
  const weather = {
    properties: { place: { type: 'string' }, wind_speed: { type: 'number' }, at: { properties: { x: {} } } },
  };
  const of = (text: string, options: Partial<PreviewOptions>) =>
    whole(new File([text], 'file'), { schema: weather, ...options });

  it.each([
    ['csv', 'place,Ort,at.x,at.y\na,b,1,2\n', ['Ort', 'at.y']],
    ['ndjson', '{"place":"a"}\n{"Ort":"b","at":{"y":1}}\n', ['Ort']],
    ['json', '[{"place":"a"},{"Ort":"b","x":1}]', ['Ort', 'x']],
  ] as const)('that are not in the schema are named: %s', async (type, text, names) => {
    const { unknown } = await of(text, { type });
    expect(unknown).toEqual({ stored: names, refused: [] });
    const closed = await of(text, { type, schema: { ...weather, additionalProperties: false } });
    expect([...closed.unknown.stored, ...closed.unknown.refused]).toEqual(expect.arrayContaining([...names]));
    expect(closed.unknown.refused).toContain('Ort');
  });

  it('are what a pattern of the schema allows', async () => {
    const schema = { patternProperties: { '^t_': { type: 'number' } }, additionalProperties: false };
    const { unknown } = await of('t_1,x\n1,2\n', { type: 'csv', schema });
    expect(unknown).toEqual({ stored: ['t_1'], refused: ['x'] });
  });

  it('are stored as what has their name but for case, spaces, _ and -, or as chosen', async () => {
    const text = 'Place,Wind-Speed,x\nOslo,3,1\n';
    const { columns, rows, unknown } = await of(text, { type: 'csv', chosen: { x: null } });
    expect(columns.map(({ pointer }) => pointer)).toEqual(['/place', '/wind_speed', null]);
    expect(toParameter(columns)).toBe('{"Place":"/place","Wind-Speed":"/wind_speed","x":null}');
    expect(rows).toEqual([{ row: 2, value: { place: 'Oslo', wind_speed: 3 } }]);
    expect(unknown).toEqual({ stored: [], refused: [] });
  });

  it('keep their names where two could be the same field', async () => {
    const { columns } = await of('Place,PLACE,wind_speed,Wind Speed\na,b,1,2\n', { type: 'csv' });
    expect(toParameter(columns)).toBeUndefined();
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
