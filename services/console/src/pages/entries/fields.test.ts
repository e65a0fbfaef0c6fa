import { expect, it } from 'vitest';
import { valueAt } from '../../json/exact.ts';
import { fieldsOf, leavesOf, toFieldPointer } from './fields.ts';

it('knows the kind of each field of a schema', () => {
  const { declared } = fieldsOf({
    type: 'object',
    properties: {
      name: { type: ['string', 'null'] },
      sky: { enum: ['clear', 'cloudy', null] },
      day: { type: 'string', format: 'date' },
      at: { allOf: [{ type: 'string' }, { format: 'date-time' }] },
      inner: { type: 'object', properties: { size: { $ref: '#/$defs/size' }, ok: { type: 'boolean' } } },
      tags: { type: 'array', items: { type: 'string' } },
      either: { type: ['string', 'number'] },
    },
    $defs: { size: { type: 'integer' } },
  });
  expect(declared.map(({ name, kind, choices }) => [name, kind, ...choices])).toEqual([
    ['name', 'text'],
    ['sky', 'choice', 'clear', 'cloudy'],
    ['day', 'date'],
    ['at', 'time'],
    ['inner.size', 'number'],
    ['inner.ok', 'boolean'],
    ['tags', 'nested'],
    ['either', 'any'],
  ]);
});

it('names fields that the schema does not have', () => {
  const { fieldAt } = fieldsOf({ properties: { a: {} } });
  expect(fieldAt('/b/c')).toEqual({ pointer: '/b/c', name: 'b.c', kind: 'any', choices: [] });
  expect([toFieldPointer('b.c'), toFieldPointer('/b.c')]).toEqual(['/b/c', '/b.c']);
});

it('finds the leaves of entries, in the order in which they appear', () => {
  expect(
    leavesOf([
      { b: 1, a: { c: [], d: {} } },
      { e: null, b: 2 },
    ]),
  ).toEqual(['/b', '/a/c', '/a/d', '/e']);
});

it('finds what is at a pointer', () => {
  const payload = { 'a/b': { '~': [1] }, c: null };
  expect(valueAt(payload, '/a~1b/~0')).toEqual([1]);
  expect(valueAt(payload, '/c')).toBe(null);
  expect([valueAt(payload, '/c/d'), valueAt(payload, '/toString')]).toEqual([undefined, undefined]);
});
