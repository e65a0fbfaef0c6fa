import { expect, it } from 'vitest';
import { changeOf } from './change-of.ts';

const action = 'application.updated';

it('keeps what differs', () => {
  const [before, after] = [
    { name: 'A', days: 1, to: { kind: 'a' } },
    { name: 'A', days: 2, to: { kind: 'a' } },
  ];
  expect(changeOf({ action, before, after })).toEqual({ action, before: { days: 1 }, after: { days: 2 } });
});

it('keeps what a change names, and not what another one changed meanwhile', () => {
  const details = { changed: ['name'] };
  const change = { before: { name: 'A', type: 'web' }, after: { name: 'B', type: 'other' } };
  expect(changeOf({ action, details, ...change })).toEqual({
    action,
    details,
    before: { name: 'A' },
    after: { name: 'B' },
  });
});

it('has neither where nothing has changed', () => {
  expect(changeOf({ action, before: { name: 'A' }, after: { name: 'A' } })).toEqual({ action });
});

it('has one that is empty where a member is new', () => {
  const change = { before: { rate: undefined }, after: { rate: 1 } };
  expect(changeOf({ action, ...change })).toEqual({ action, before: {}, after: { rate: 1 } });
});

it('keeps the beginning of a long value, and sees a difference behind it', () => {
  const long = (end: string) => ({
    origins: [...Array.from({ length: 200 }, () => 'https://example.com'), end],
  });
  const { before, after } = changeOf({ action, before: long('a'), after: long('b') });
  expect(before).toEqual(after);
  expect(JSON.stringify(before).length).toBeLessThan(1_000);
});
