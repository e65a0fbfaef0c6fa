import { expect, it } from 'vitest';
import { toConforming } from './use-conforming.ts';

it.each([
  [13_994, 6, true],
  [91, 9, true],
  [90, 10, false],
  [0, 1, false],
])('with %d stored and %d refused uploads, a rule is usual: %s', (stored, refused, isUsual) => {
  expect(toConforming('', stored, refused)).toEqual({ since: '', stored, all: stored + refused, isUsual });
});
