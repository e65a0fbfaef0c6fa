import { expect, it } from 'vitest';
import { clock, fullness } from './finding.ts';

const hour = 3_600_000;

it.each([
  [0, 'ok'],
  [-hour, 'fail'],
  [hour, 'fail'],
  [-20_000, 'warn'],
])('a clock that is %i ms off is %s', async (off, level) => {
  expect((await clock(async () => Date.now() + off)).level).toBe(level);
});

it.each([
  [10, 'ok'],
  [85, 'warn'],
  [96, 'fail'],
])('what is %i %% full is %s', (used, level) => {
  expect(fullness({ used, total: 100 }, [0.8, 0.95], 'make room').level).toBe(level);
});
