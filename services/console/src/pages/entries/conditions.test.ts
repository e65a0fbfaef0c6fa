import { expect, it } from 'vitest';
import { type FormCondition, faultOf, operatorsOf, toFilter, withCondition } from './conditions.ts';
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

const filterOf = (...conditions: [pointer: string, operator: FormCondition['operator'], text: string][]) =>
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

it.each<[pointer: string, operator: FormCondition['operator'], text: string, test: string]>([
  ['/room', 'eq', '9007199254740993', '"eq":9007199254740993'],
  // As far as all ways to write a time agree.
  ['/at', 'gte', '2026-11-23T10:20:00.000Z', '"gte":"2026-11-23T10:20"'],
])('writes for %s %s %s', (pointer, operator, text, test) => {
  expect(filterOf([pointer, operator, text])).toBe(`{"${pointer}":{${test}}}`);
});

it.each<[FormCondition['operator'], text: string, fault: string | undefined]>([
  ['gt', 'abc', 'number'],
  ['gt', '', 'number'],
  ['gt', '7', undefined],
  ['exists', '', undefined],
])('of a number, %s %j has the fault %s', (operator, text, fault) => {
  expect(faultOf({ pointer: '/room', operator, text }, 'number')).toBe(fault);
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
