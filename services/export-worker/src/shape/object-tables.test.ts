import { describe, expect, it } from 'vitest';
import type { Payload } from '../formats/entries.testing.ts';
import { Unexportable } from '../formats/unexportable.ts';
import { shapeOf } from './arrays.testing.ts';

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

  it('are bounded, since each is one reading more', () => {
    const payload = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`a${i}`, [{}]]));
    expect(tablesOf(payload(100))).toHaveLength(101);
    expect(() => tablesOf(payload(101))).toThrow('more than 100 places');
  });
});

describe('columns', () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
  const wide = (count: number) => Object.fromEntries(numbers(count).map((i) => [`k${i}`, i]));

  it.each(['columns', 'rows'] as const)('are bounded with arrays=%s', (arrays) => {
    // Beside createdAt and the one that is declared.
    const payload = (count: number) => ({ a: arrays === 'columns' ? numbers(count) : [wide(count)] });
    expect(shapeOf(entries(payload(4_998)), arrays).flatMap(({ columns }) => columns)).toHaveLength(5_000);
    for (const count of [4_999, 6_000]) {
      expect(() => shapeOf(entries(payload(count)), arrays)).toThrow(Unexportable);
      expect(() => shapeOf(entries(payload(count)), arrays)).toThrow('more than 5000 columns');
    }
  });

  it('are bounded in what their names take', () => {
    const key = 'k'.repeat(900);
    const payload = { [key]: numbers(1_200) };
    expect(() => shapeOf(entries(payload), 'columns')).toThrow('names');
    const deep = { a: [Object.fromEntries(numbers(5).map((i) => [`${i}${'k'.repeat(1_000_000)}`, 1]))] };
    expect(() => shapeOf(entries(deep), 'rows')).toThrow('names');
  });
});
