import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type FormCondition,
  faultOf,
  fromFilter,
  fromList,
  operatorsOf,
  toFilter,
  toList,
  typedAs,
  withCondition,
  withRange,
  withValue,
} from './conditions.ts';
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

it('selects one value of a field more, or one less', () => {
  const other = { pointer: '/b', operator: 'eq', text: 'Oslo' } as const;
  const one = withValue([other], '/a', 'Oslo');
  expect(one).toEqual([other, { pointer: '/a', operator: 'eq', text: 'Oslo' }]);
  const two = withValue(one, '/a', 'Rome');
  expect(two).toEqual([other, { pointer: '/a', operator: 'in', text: '["Oslo","Rome"]' }]);
  expect(withValue(two, '/a', 'Oslo')).toEqual([other, { pointer: '/a', operator: 'eq', text: 'Rome' }]);
  expect(withValue(one, '/a', 'Oslo')).toEqual([other]);
});

it('has one range of a field', () => {
  const first = withRange([], '/a', [
    ['gte', '1'],
    ['lt', '2'],
  ]);
  const closed = withRange(first, '/a', [
    ['gte', '2'],
    ['lte', '2'],
  ]);
  expect(closed.map(({ operator, text }) => [operator, text])).toEqual([
    ['gte', '2'],
    ['lte', '2'],
  ]);
});

it('selects exactly the values that are clicked, of whatever type', () => {
  const values = fc.array(
    fc.oneof(fc.string(), fc.constantFrom('7', 'true', '"7"', ' '), fc.integer(), fc.boolean()),
    {
      minLength: 2,
    },
  );
  fc.assert(
    fc.property(values, fc.constantFrom('/place', '/room', '/other'), (some, pointer) => {
      const { kind } = fields.fieldAt(pointer);
      const shown = [...new Set(some)].filter((value) => typedAs(value, kind) !== undefined);
      fc.pre(shown.length > 1);
      const picked = shown.reduce<FormCondition[]>(
        (conditions, value) => withValue(conditions, pointer, typedAs(value, kind) as string),
        [],
      );
      expect(JSON.parse(toFilter(picked, fields) ?? '')).toEqual({ [pointer]: { in: shown } });
    }),
  );
  for (const pointer of ['/place', '/other'])
    expect(typedAs('7', fields.fieldAt(pointer).kind)).toBeDefined();
});

it('reads a list as it writes it', () => {
  fc.assert(fc.property(fc.array(fc.string()), (texts) => isDeepStrictEqual(fromList(toList(texts)), texts)));
  expect(fromList('Oslo, New York ,"a, b"')).toEqual(['Oslo', 'New York', 'a, b']);
});

it('reads back each filter that it makes, and filters that others made', () => {
  const text = fc.oneof(
    fc.string(),
    fc.integer().map(String),
    fc.constantFrom('true', '""', '9007199254740993'),
  );
  const condition = fc.constantFrom('/place', '/room', '/tags', '/ok', '/note/a~1b').chain((pointer) =>
    fc.constantFrom(...operatorsOf[fields.fieldAt(pointer).kind]).chain((operator) => {
      const texts =
        operator === 'in' ? fc.array(text, { minLength: 1 }).map((some) => JSON.stringify(some)) : text;
      return texts.map((one): FormCondition => ({ pointer, operator, text: one }));
    }),
  );
  fc.assert(
    fc.property(fc.array(condition), (conditions) => {
      const filter = toFilter(conditions.reduce(withCondition, [] as FormCondition[]), fields) ?? '{}';
      expect(toFilter(fromFilter(filter, fields), fields) ?? '{}').toBe(filter);
    }),
  );
  const others =
    '{"at":{"lt":"2026"},"/tags":{"eq":"x"},"/place":{"ne":null,"in":[1,"a",null]},"/":{"eq":1}}';
  expect(fromFilter(others, fields)).toEqual([
    { pointer: '/at', operator: 'lt', text: '2026' },
    { pointer: '/tags', operator: 'eq', text: 'x' },
    { pointer: '/place', operator: 'ne', text: 'null' },
    { pointer: '/place', operator: 'in', text: '["1","a","null"]' },
    { pointer: '/', operator: 'eq', text: '1' },
  ]);
});
