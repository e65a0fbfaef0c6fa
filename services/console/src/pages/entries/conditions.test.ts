import { expect, it } from 'vitest';
import { type Condition, faultOf, operatorsOf, toFilter, withCondition } from './conditions.ts';
import { fieldsOf } from './fields.ts';

const fields = fieldsOf({
  type: 'object',
  properties: {
    place: { type: 'string' },
    room: { type: ['integer', 'null'] },
    at: { type: 'string', format: 'date-time' },
    tags: { type: 'array' },
  },
});

const filterOf = (...conditions: [pointer: string, operator: Condition['operator'], text: string][]) =>
  toFilter(
    conditions.map(([pointer, operator, text]) => ({ pointer, operator, text })),
    fields,
  );

it('compares with what the schema declares, or what the text looks like', () => {
  const filter = filterOf(
    ['/place', 'eq', '5'],
    ['/place', 'contains', 'x'],
    ['/room', 'gte', '5'],
    ['/room', 'lt', '7.5'],
    ['/ok', 'ne', 'true'],
    ['/note', 'eq', 'x 1'],
    ['/size', 'eq', '7'],
    ['/tags', 'missing', ''],
    ['/none', 'isNull', ''],
  );
  expect(JSON.parse(filter ?? '')).toEqual({
    '/place': { eq: '5', contains: 'x' },
    '/room': { gte: 5, lt: 7.5 },
    '/ok': { ne: true },
    '/note': { eq: 'x 1' },
    '/size': { eq: 7 },
    '/tags': { exists: false },
    '/none': { eq: null },
  });
  expect(toFilter([], fields)).toBeUndefined();
});

it('keeps the digits of large numbers', () => {
  expect(filterOf(['/room', 'eq', '9007199254740993'])).toBe('{"/room":{"eq":9007199254740993}}');
});

it('compares times as far as all ways to write one agree', () => {
  expect(filterOf(['/at', 'gte', '2026-11-23T10:20:00.000Z'])).toBe('{"/at":{"gte":"2026-11-23T10:20"}}');
});

it('tells the value that a field cannot have', () => {
  const faultFor = (operator: Condition['operator'], text: string) =>
    faultOf({ pointer: '/room', operator, text }, 'number');
  expect([faultFor('gt', 'abc'), faultFor('gt', ''), faultFor('gt', '7'), faultFor('exists', '')]).toEqual([
    'number',
    'number',
    undefined,
    undefined,
  ]);
});

it('offers no comparison with an array, in which filters do not look', () => {
  expect(operatorsOf[fields.fieldAt('/tags').kind]).toEqual(['exists', 'missing', 'isNull']);
});

it('has one condition of a field and an operator', () => {
  const more = { pointer: '/a', operator: 'gt', text: '30' } as const;
  const less = { pointer: '/a', operator: 'lt', text: '40' } as const;
  expect(withCondition([more, less], { ...more, text: '10' })).toEqual([less, { ...more, text: '10' }]);
  const there = { pointer: '/a', operator: 'exists', text: '' } as const;
  const missing = { ...there, operator: 'missing' } as const;
  expect(withCondition([there], missing)).toEqual([missing]);
});
