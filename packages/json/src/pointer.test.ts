import fc from 'fast-check';
import { BSON } from 'mongodb';
import { expect, it } from 'vitest';
import { eachField } from '../../../test/support/each-field.ts';
import { runs } from '../../../test/support/runs.ts';
import { fromPointer, toPointer } from './pointer.ts';

function leaves(payload: Record<string, unknown>) {
  const found: [string[], unknown][] = [];
  eachField(payload, (path, value) => found.push([path, value]));
  return found;
}

it('visits scalars, null, arrays and empty objects in order, and descends into objects', () => {
  expect(leaves({ a: 1, b: { c: null, d: { e: [{ f: 1 }], g: {} } }, h: '' })).toEqual([
    [['a'], 1],
    [['b', 'c'], null],
    [['b', 'd', 'e'], [{ f: 1 }]],
    [['b', 'd', 'g'], {}],
    [['h'], ''],
  ]);
  expect(leaves({})).toEqual([]);
});

it('sees the posted members of an object that the BSON reader made a DBRef', () => {
  const stored = BSON.deserialize(BSON.serialize({ link: { $ref: 'a', $id: { n: 1 }, label: 'x' } }));
  expect(leaves(stored)).toEqual([
    [['link', '$ref'], 'a'],
    [['link', '$id', 'n'], 1],
    [['link', 'label'], 'x'],
  ]);
  const { whole } = BSON.deserialize(BSON.serialize({ whole: { $ref: 'x', $id: 'y' } }));
  expect(leaves(whole)).toEqual([
    [['$ref'], 'x'],
    [['$id'], 'y'],
  ]);
});

it.each([
  [[], ''],
  [[''], '/'],
  [['a/b', '0', 'm~n', '~1'], '/a~1b/0/m~0n/~01'],
])('writes the path %j as the pointer %j', (path, pointer) => {
  expect(toPointer(path)).toBe(pointer);
  expect(fromPointer(pointer)).toEqual(path);
});

it('reads back every path it wrote', () => {
  const keys = fc.array(fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a') }));
  fc.assert(
    fc.property(keys, (path) => {
      expect(fromPointer(toPointer(path))).toEqual(path);
    }),
    runs(),
  );
});

it('throws on a pointer that does not start with a slash', () => {
  expect(() => fromPointer('a/b')).toThrow(TypeError);
});
