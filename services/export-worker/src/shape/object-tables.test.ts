import { describe, expect, it } from 'vitest';
import { shapeOf } from '../../../../test/support/exports/arrays.ts';
import type { Payload } from '../../../../test/support/exports/entries.ts';

const entries = (...payloads: Payload[]) => payloads.map((payload) => ({ time: 0, payload }));
const tablesOf = (...payloads: Payload[]) =>
  shapeOf(entries(...payloads), 'rows').map(({ name, columns }) => [
    name,
    ...columns.map((column) => column.name).filter((column) => !['createdAt', 'declared'].includes(column)),
  ]);

describe('tables of objects', () => {
  it.each<[string, Payload[], string[][]]>([
    [
      'take the place of a column',
      [{ a: [{ x: 1 }], b: 2 }],
      [
        ['entries', 'b'],
        ['a', 'x'],
      ],
    ],
    [
      'leave a column that has something else too',
      [{ a: [{ x: 1 }] }, { a: [] }],
      [
        ['entries', 'a'],
        ['a', 'x'],
      ],
    ],
    ['leave no column for null', [{ a: null }, { a: [{ x: 1 }] }], [['entries'], ['a', 'x']]],
    [
      'are not made of arrays with something else in them',
      [{ a: [{ x: 1 }, 1] }, { a: [[{}]] }],
      [['entries', 'a']],
    ],
    ['may have no columns', [{ a: [{}] }], [['entries'], ['a']]],
    [
      'are found within objects',
      [{ a: { b: [{ c: { d: [{ x: 1 }] } }] } }],
      [['entries'], ['a.b'], ['a.b.c.d', 'x']],
    ],
    [
      'have columns by first appearance',
      [{ a: [{ y: 1 }, { x: { z: 1 }, y: 2 }] }],
      [['entries'], ['a', 'y', 'x.z']],
    ],
    [
      'keep what links them apart',
      [{ entry: 1, a: [{ entry: 1, index: 2 }] }],
      [
        ['entries', '/entry'],
        ['a', '/entry', '/index'],
      ],
    ],
    [
      'keep the indexes of what they are within apart',
      [{ a: [{ b: [{ 'a.index': 1, index: 2, a: { index: 3 } }] }] }],
      [['entries'], ['a'], ['a.b', '/a.index', '/index', '/a/index']],
    ],
    [
      'have files of their own',
      [{ a: { b: [{}] }, 'a.b': [{}], A: { b: [{}] }, entries: [{}], '../ü': [{}] }],
      [['entries'], ['a.b'], ['a.b-2'], ['A.b-3'], ['entries-2'], ['_..__']],
    ],
  ])('%s', (_what, payloads, tables) => {
    expect(tablesOf(...payloads)).toEqual(tables);
  });

  it('are bounded, since each is one reading more: the last of the largest are no tables then', () => {
    const payload = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${i}`, [{}]]));
    expect(tablesOf(payload(100))).toHaveLength(101);
    const tables = tablesOf(payload(102));
    expect(tables.map(([name]) => name)).toEqual(['entries', ...Object.keys(payload(100))]);
    expect(tables[0]).toEqual(['entries', 'a100', 'a101']);
    const nested = tablesOf({ few: [{ b: [{}] }], many: [Object.fromEntries(Object.entries(payload(99)))] });
    expect(nested).toEqual([['entries', 'many'], ['few'], ['few.b']]);
  });
});

describe('columns', () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
  const wide = (count: number) => Object.fromEntries(numbers(count).map((i) => [`k${i}`, i]));

  it.each(['columns', 'rows'] as const)(
    'are bounded with arrays=%s: the largest array stays one',
    (arrays) => {
      // Beside createdAt and the one that is declared.
      const payload = (count: number) => ({ a: arrays === 'columns' ? numbers(count) : [wide(count)] });
      expect(shapeOf(entries(payload(4_998)), arrays).flatMap(({ columns }) => columns)).toHaveLength(5_000);
      const small = arrays === 'columns' ? [1, 2] : [{ x: 1 }];
      for (const count of [4_999, 6_000]) {
        const list = entries(
          { b: small, ...payload(3) },
          { ...payload(count), c: small },
          { b: small, ...payload(9) },
        );
        const [table, ...others] = shapeOf(list, arrays);
        expect(table?.columns.slice(2)).toEqual(
          arrays === 'columns'
            ? [
                { name: 'b.0', pointer: '/b/0' },
                { name: 'b.1', pointer: '/b/1' },
                { name: 'a', pointer: '/a', isWhole: true },
                { name: 'c.0', pointer: '/c/0' },
                { name: 'c.1', pointer: '/c/1' },
              ]
            : [{ name: 'a', pointer: '/a', isWhole: true }],
        );
        expect(others.map(({ name }) => name)).toEqual(arrays === 'columns' ? [] : ['b', 'c']);
      }
    },
  );

  it('are bounded in what their names take', () => {
    const key = 'k'.repeat(900);
    const payload = { [key]: numbers(1_200), a: [1] };
    expect(shapeOf(entries(payload), 'columns')[0]?.columns.slice(2)).toEqual([
      { name: key, pointer: `/${key}`, isWhole: true },
      { name: 'a.0', pointer: '/a/0' },
    ]);
    for (const [count, length] of [
      [2, 600_000],
      [5, 1_000_000],
      [1, 5_000_000],
    ] as const) {
      const keys = numbers(count).map((i) => `${i}${'k'.repeat(length)}`);
      const deep = { a: [Object.fromEntries(keys.map((key) => [key, 1]))], b: [{ x: 1 }] };
      expect(tablesOf(deep)).toEqual([
        ['entries', 'a'],
        ['b', 'x'],
      ]);
    }
  });
});
