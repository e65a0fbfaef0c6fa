import { expect, it } from 'vitest';
import { toFilter, unmetType, valueAt, withCondition } from './conditions.ts';

const schema = {
  type: 'object',
  properties: {
    place: { type: 'string' },
    at: { type: 'object', properties: { room: { type: 'integer' } } },
  },
};

it('compares with what the schema declares, or what the text looks like', () => {
  const filter = toFilter(
    [
      { pointer: '/place', operator: 'eq', text: '5' },
      { pointer: '/at/room', operator: 'gte', text: '5' },
      { pointer: '/at/room', operator: 'lt', text: '7.5' },
      { pointer: '/ok', operator: 'ne', text: 'true' },
      { pointer: '/note', operator: 'eq', text: 'x 1' },
    ],
    schema,
  );
  expect(JSON.parse(filter ?? '')).toEqual({
    '/place': { eq: '5' },
    '/at/room': { gte: 5, lt: 7.5 },
    '/ok': { ne: true },
    '/note': { eq: 'x 1' },
  });
  expect(toFilter([], schema)).toBeUndefined();
});

it('finds what is at a pointer', () => {
  const payload = { 'a/b': { '~': [1] }, c: null };
  expect(valueAt(payload, '/a~1b/~0')).toEqual([1]);
  expect(valueAt(payload, '/c')).toBe(null);
  expect([valueAt(payload, '/c/d'), valueAt(payload, '/toString')]).toEqual([undefined, undefined]);
});

it('tells the type that a text cannot have', () => {
  const typeFor = (pointer: string, text: string) => unmetType({ pointer, operator: 'gt', text }, schema);
  expect([typeFor('/at/room', 'abc'), typeFor('/at/room', '')]).toEqual(['integer', 'integer']);
  expect([typeFor('/at/room', '7'), typeFor('/at/room', 'null'), typeFor('/place', '7')]).toEqual(
    Array(3).fill(undefined),
  );
  expect([typeFor('/at', 'abc'), typeFor('/unknown', 'abc')]).toEqual([undefined, undefined]);
});

it('has one condition of a field and an operator', () => {
  const more = { pointer: '/a', operator: 'gt', text: '30' } as const;
  const less = { pointer: '/a', operator: 'lt', text: '40' } as const;
  expect(withCondition([more, less], { ...more, text: '10' })).toEqual([less, { ...more, text: '10' }]);
});
