import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyCharacter } from '../../../../../test/support/any-character.ts';
import { operatorsOf } from './conditions.ts';
import { lasts } from './period.ts';
import { toParams, toView, type View } from './view.ts';

const text = fc.string({ unit: anyCharacter });
const some = text.filter((one) => one !== '');
const pointer = text.map((key) => `/${key.replaceAll('~', '~0')}`);
const time = fc
  .date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') })
  .map((at) => at.toISOString());
const optional = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });
const view: fc.Arbitrary<View> = fc.record({
  last: fc.constantFrom(...(Object.keys(lasts) as (keyof typeof lasts)[])),
  from: optional(time),
  to: optional(time),
  conditions: fc.array(
    fc
      .record({ pointer, operator: fc.constantFrom(...Object.values(operatorsOf).flat()), text })
      .map((one) => (one.operator === 'in' ? { ...one, text: JSON.stringify([one.text]) } : one)),
  ),
  unread: fc.array(text.filter((one) => !/^\w+:/.test(one))),
  columns: optional(fc.array(pointer)),
  order: fc.constantFrom('newest' as const, 'oldest' as const),
  sort: optional(fc.record({ pointer, descending: fc.boolean() })),
  after: optional(some),
  start: fc.maxSafeNat(),
  by: optional(pointer),
  entry: optional(some),
  isLive: fc.boolean(),
});

it('comes back from the address as it was', () => {
  fc.assert(
    fc.property(view, (one) => {
      const address = toParams(one).toString();
      expect(toView(new URLSearchParams(address))).toEqual(one);
    }),
  );
});

it('is read from any address, and written as it was read', () => {
  const name = fc.constantFrom(
    'last',
    'from',
    'to',
    'filter',
    'column',
    'order',
    'sort',
    'after',
    'start',
    'by',
    'entry',
    'live',
    'x',
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(name, text)), (pairs) => {
      const read = toView(new URLSearchParams(pairs));
      expect(toView(toParams(read))).toEqual(read);
    }),
  );
});

it('is short while everything is as usual', () => {
  expect(toParams(toView(new URLSearchParams())).toString()).toBe('');
});

it('keeps filters that it cannot read, and does not take them for conditions', () => {
  const address = 'filter=eq%3A%2Fa%3A1&filter=place%3DOslo&filter=';
  const view = toView(new URLSearchParams(address));
  expect([view.conditions.length, view.unread]).toEqual([1, ['place=Oslo', '']]);
  expect(toParams(view).toString()).toBe(address);
});

it('keeps a filter readable', () => {
  const { conditions } = toView(new URLSearchParams('filter=gte:/at~2x/room:5:7'));
  expect(conditions).toEqual([{ operator: 'gte', pointer: '/at:x/room', text: '5:7' }]);
});
