import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cell, disarm, toCell } from './cells.ts';
import { csvStringifier } from './csv.ts';

const write = (rows: Cell[][]) => text(Readable.from(rows).pipe(csvStringifier()));

describe('cells', () => {
  it.each<[unknown, Cell]>([
    ['a', 'a'],
    ['', ''],
    [null, undefined],
    [undefined, undefined],
    [true, 'true'],
    [false, 'false'],
    [-5, '-5'],
    [1e21, '1e+21'],
    [-0, '0'],
    [[], '[]'],
    [{}, '{}'],
    [[1, { a: '"' }], '[1,{"a":"\\""}]'],
    ['=1', "'=1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@a', "'@a"],
    ['\ta', "'\ta"],
    ['\ra', "'\ra"],
    [' =1', "' =1"],
    ['\n+1', "'\n+1"],
    ['a=1', 'a=1'],
    [' a', ' a'],
    ["'=1", "'=1"],
  ])('%j becomes %j', (value, cell) => {
    expect(toCell(value, 'escape')).toBe(cell);
  });

  it('are left as they are when asked', () => {
    for (const value of ['=1', '\ta', ' -x']) expect(toCell(value, 'raw')).toBe(value);
  });

  it('never begin a formula', () => {
    const unit = fc.constantFrom('=', '+', '-', '@', ' ', '\n', '\t', '\v', '\u00a0', 'a');
    fc.assert(
      fc.property(fc.string({ unit }), (value) => {
        expect(disarm(value).trimStart()).not.toMatch(/^[=+\-@]/);
      }),
    );
  });
});

describe('CSV', () => {
  it('is read back as it was, whatever the text', async () => {
    const cell = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom('"', ',', '\r', '\n', ' ', 'a', '\t', 'ü') }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 }), async (rows) => {
        expect(parse(await write(rows), { record_delimiter: '\r\n', bom: false })).toEqual(rows);
      }),
    );
  });

  it('tells a missing value from an empty string', async () => {
    expect(await write([[undefined, '', 'a', undefined]])).toBe(',"",a,\r\n');
  });
});
