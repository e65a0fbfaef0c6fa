import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsFor, type Payload, text, write } from '../../../../test/support/exports/entries.ts';
import { runs } from '../../../../test/support/runs.ts';
import { createCsv } from './csv.ts';

const readsAsJson = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$|^[[{]/;

const one = async (payload: Payload, formulas: 'escape' | 'raw' = 'escape') => {
  const list = [{ time: 0, payload }];
  const columns = columnsFor(list).slice(1);
  const selected = columns.map(({ name }) => name);
  return (await write(createCsv({ columns, selected, formulas }), list)).split('\r\n')[1];
};

describe('a file that is read back', () => {
  const unarm = (value: string) => (/^'+(?:[\t\r]|\s*[=+\-@])/.test(value) ? value.slice(1) : value);

  it('gives each string as it was, also those that begin with apostrophes or formulas', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 2 }), async (values) => {
        const list = [{ time: 0, payload: { ...values } as Payload }];
        const csv = await write(createCsv({ columns: columnsFor(list), formulas: 'escape' }), list);
        const [, [, ...cells] = []] = parse(csv, { record_delimiter: '\r\n' }) as string[][];
        expect(cells.map(unarm)).toEqual(values);
      }),
      runs(60),
    );
  });

  it('tells strings from numbers, booleans, null and empty objects by the quotes', async () => {
    const value = fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean());
    const other = fc.constantFrom(null, {}, [], [1], [null], [[true]]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(value, other), { minLength: 2 }), async (values) => {
        const list = [{ time: 0, payload: { ...values } as Payload }];
        const csv = await write(createCsv({ columns: columnsFor(list), formulas: 'escape' }), list);
        const cast = (cell: string, { quoting }: { quoting: boolean }) => {
          if (quoting || !(cell === '' || readsAsJson.test(cell))) return unarm(cell);
          return cell === '' ? null : JSON.parse(cell);
        };
        const [, [, ...cells] = []] = parse(csv, { record_delimiter: '\r\n', cast }) as unknown[][];
        expect(cells).toEqual(JSON.parse(JSON.stringify(values)));
      }),
      runs(60),
    );
  });

  it.each<[string, string]>([
    ['=1', "'=1"],
    ["'=1", "''=1"],
    ["'' \u3000@", "''' \u3000@"],
    ["'a", "'a"],
    ["' 'a", "' 'a"],
    ['-x', "'-x"],
    ['-1', `"'-1"`],
    ['1', '"1"'],
    ['1e+5', '"1e+5"'],
    ['01', '01'],
    ['1.', '1.'],
    ['1,5', '"1,5"'],
    ['2024-01-02', '2024-01-02'],
    ['true', '"true"'],
    ['True', 'True'],
    ['nullable', 'nullable'],
    ['[x', '"[x"'],
    ['{', '"{"'],
    ['\ta', "'\ta"],
    ['a\n', '"a\n"'],
  ])('has the string %j as %s', async (value, cell) => {
    expect(await one({ a: value, b: 0 })).toBe(`${cell},0`);
  });

  it('leaves a value that a spreadsheet would run as it is when asked', async () => {
    expect(await one({ a: '=1', b: 2 }, 'raw')).toBe('=1,2');
  });
});
