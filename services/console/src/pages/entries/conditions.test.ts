import { expect, it } from 'vitest';
import { toFilter, valueAt } from './conditions.ts';

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
