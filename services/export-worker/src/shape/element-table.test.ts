import type { Column } from '@sluice/tables/columns.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  at,
  baseOf,
  isFilledArray,
  isFilledObject,
  keysOf,
  shapeOf,
  valuesAt,
  withArrays,
  withKey,
} from '../../../../test/support/exports/arrays.ts';
import { csvOf, type Formulas, formulas } from '../../../../test/support/exports/csv-of.ts';
import { type Entry, type Payload, toBson, write } from '../../../../test/support/exports/entries.ts';
import { nameOf } from '../../../../test/support/exports/tables.ts';
import { runs } from '../../../../test/support/runs.ts';
import { createCsv } from '../formats/csv.ts';
import { UnknownField } from '../formats/format.ts';

/** The columns in the place of one that has these values. */
function expand(pointer: string, values: unknown[]): string[] {
  const arrays = values.filter(isFilledArray);
  const objects = values.filter(isFilledObject);
  const isNested = (value: unknown) => isFilledArray(value) || isFilledObject(value);
  const own = values.some((value) => value !== null && !isNested(value)) || !values.some(isNested);
  const length = Math.max(0, ...arrays.map((array) => array.length));
  const elements = Array.from({ length }, (_, i) =>
    expand(
      `${pointer}/${i}`,
      arrays.filter((array) => i < array.length).map((array) => array[i]),
    ),
  );
  const members = Array.from(keysOf(objects), (key) =>
    expand(`${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, withKey(objects, key)),
  );
  return [...(own ? [pointer] : []), ...elements.flat(), ...members.flat()];
}

function expectedColumns(list: Entry[], base: Column[], shown: Column[]): Column[] {
  const names = new Map(base.map(({ pointer, name }) => [pointer, name]));
  const pointers = new Set(
    shown.flatMap(({ pointer }) => (pointer === undefined ? '' : expand(pointer, valuesAt(list, pointer)))),
  );
  return [...pointers].map((pointer) =>
    pointer === '' ? { name: 'createdAt' } : { name: names.get(pointer) ?? nameOf(pointer), pointer },
  );
}

function expectedCsv(list: Entry[], columns: Column[], mode: Formulas): string {
  const rows = list.map(({ time, payload }) =>
    columns.map(({ pointer }) => {
      if (pointer === undefined) return new Date(time);
      const value = at(payload, pointer, true);
      return isFilledArray(value) || isFilledObject(value) ? undefined : value;
    }),
  );
  return csvOf(
    columns.map(({ name }) => name),
    rows,
    mode,
  );
}

const columnsOfShape = (...args: Parameters<typeof shapeOf>) => shapeOf(...args)[0]?.columns as Column[];
const namesFor = (...payloads: Payload[]) =>
  columnsOfShape(
    payloads.map((payload) => ({ time: 0, payload })),
    'columns',
  )
    .slice(2)
    .map(({ name }) => name);

describe('columns of elements', () => {
  it.each<[string, Payload[], string[]]>([
    ['are in the place of their array', [{ a: 1, b: [2, 3], c: 4 }], ['a', 'b.0', 'b.1', 'c']],
    ['come by index, whichever entry has them', [{ b: [1] }, { b: [1, 2, 3] }], ['b.0', 'b.1', 'b.2']],
    ['descend into objects', [{ b: [{ x: 1 }, { y: { z: 2 } }] }], ['b.0.x', 'b.1.y.z']],
    ['descend into arrays', [{ b: [[1, 2], [3]] }], ['b.0.0', 'b.0.1', 'b.1.0']],
    ['have members by first appearance', [{ b: [{ y: 1 }] }, { b: [{ x: 1, y: 2 }] }], ['b.0.y', 'b.0.x']],
    ['stand behind their own where there is other than arrays', [{ b: [1] }, { b: 2 }], ['b', 'b.0']],
    ['stand behind their own where an array is empty', [{ b: [] }, { b: [[], {}] }], ['b', 'b.0', 'b.1']],
    ['need none of their own for null', [{ b: null }, { b: [1] }, { b: [{ x: 1 }] }], ['b.0', 'b.0.x']],
    ['are there for what is only ever null', [{ b: [null, { x: null }] }], ['b.0', 'b.1.x']],
    ['are one with members of the same keys', [{ b: [1, 2] }, { b: { 1: 3 } }], ['b.0', 'b.1']],
    ['leave the names of others alone', [{ b: ['x'], 'b.0': 1 }], ['b.0', '/b.0']],
  ])('%s', (_what, payloads, names) => {
    expect(namesFor(...payloads)).toEqual(names);
  });

  it('make the file that its entries say, however it is cut into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(withArrays, formulas, fc.uniqueArray(fc.nat({ max: 5 })), async (list, mode, cuts) => {
        const base = baseOf(list);
        const columns = columnsOfShape(list, 'columns');
        expect(columns).toEqual(expectedColumns(list, base, base));
        const csv = await write(
          createCsv({ columns: base, elements: columns, formulas: mode }),
          list,
          new Set(cuts),
        );
        expect(csv).toBe(expectedCsv(list, columns, mode));
      }),
      runs(),
    );
  });

  it('are those of the selected arrays alone, and nothing of these is passed over', async () => {
    await fc.assert(
      fc.asyncProperty(
        withArrays,
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        fc.nat({ max: 3 }),
        async (list, dice, count) => {
          const base = baseOf(list);
          const rolled = new Map(base.map((column) => [column, dice.next().value as number]));
          const order = (column: Column) => rolled.get(column) as number;
          const shown = base.toSorted((a, b) => order(a) - order(b)).slice(0, count + 1);
          const selected = shown.map(({ name }) => name);
          const columns = columnsOfShape(list, 'columns', { selected });
          expect(columns).toEqual(expectedColumns(list, base, shown));
          const format = createCsv({ columns: base, selected, elements: columns, formulas: 'raw' });
          expect(await write(format, list)).toBe(expectedCsv(list, columns, 'raw'));
        },
      ),
      runs(),
    );
  });

  it.each<Payload>([
    { a: [1, 2, 3], c: 1 },
    { a: 'x' },
    { a: [1, { y: 1 }] },
    { a: [{ x: [1] }] },
    { b: [[1]] },
    { b: [] },
  ])('leave no part of an entry out that came later: %j', (payload) => {
    const list = [{ time: 0, payload: { a: [{ x: 1 }, 2], b: ['y'], c: 1 } }];
    const names = ['a', 'b'];
    for (const selected of [undefined, names]) {
      const columns = columnsOfShape(list, 'columns', { selected });
      const format = createCsv({ columns: baseOf(list), selected, elements: columns, formulas: 'raw' });
      expect(() => format.add(toBson({ time: 0, payload }))).toThrow(UnknownField);
      format.add(toBson({ time: 0, payload: { a: null, b: [null], c: null } }));
      if (selected) format.add(toBson({ time: 0, payload: { c: [1], d: 1, a: null } }));
    }
  });

  it.each<Payload>([{ c: [7, 'x'] }, { c: [[7]] }, { c: [{ d: [7] }] }])(
    'take no element of an array that was not asked for as a leaf that was: %j',
    async (other) => {
      const list = [{ c: { 0: [null], d: 1 } }, other].map((payload) => ({ time: 0, payload }));
      const base = baseOf(list);
      const asked = base.filter(({ pointer }) => pointer === '/c/0');
      const selected = asked.map(({ name }) => name);
      const columns = columnsOfShape(list, 'columns', { selected });
      expect(columns).toEqual([{ name: 'c.0.0', pointer: '/c/0/0' }]);
      const format = createCsv({ columns: base, selected, elements: columns, formulas: 'raw' });
      expect(await write(format, list)).toBe(expectedCsv(list, columns, 'raw'));
    },
  );
});
