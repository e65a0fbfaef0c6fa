import { expect, it } from 'vitest';
import type { Schemas } from '../../api/client.ts';
import { changeOf, longestGap, refusedShare, sumByKey, sumSteps, worstLoss } from './day.ts';

const none = { not_json: 0, too_large: 0, media_type: 0, no_key: 0, wrong_key: 0, rate: 0, cut: 0 };
const step = (accepted: number, refused = 0, lost = {}) => ({
  at: '2026-11-23T10:00:00.000Z',
  accepted,
  refused,
  lost: { ...none, ...lost },
});

it('adds up entries, refusals and all kinds of losses', () => {
  const steps = [step(3, 1, { cut: 2 }), step(4, 0, { cut: 1, rate: 5 })];
  expect(sumSteps(steps)).toEqual({ accepted: 7, refused: 1, lost: 8 });
  expect(worstLoss(steps)).toEqual(['rate', 5]);
  expect(worstLoss([step(1)])).toBeUndefined();
});

it('counts refusals among all uploads', () => {
  expect(refusedShare({ accepted: 6, refused: 2, lost: 2 })).toBe(0.2);
  expect(refusedShare({ accepted: 0, refused: 0, lost: 0 })).toBeUndefined();
});

it.each([
  [[0, 2, 0, 0, 0, 1, 0], 3],
  [[1, 1], 0],
  [[0, 1, 0, 0], undefined],
  [[], undefined],
])('the longest silence between entries of %j is %s hours', (counts, gap) => {
  expect(longestGap(counts.map((count) => step(count)))).toBe(gap);
});

it.each([
  [110, 100, 0.1],
  [0, 4, -1],
  [5, 0, undefined],
])('%i after %i is a change of %s', (now, before, change) => {
  expect(changeOf(now, before)).toBe(change);
});

it('sums the rows of each key, with those without a key', () => {
  const rows: Schemas['Stats'][] = [
    { ...step(1), key: 'a' },
    { ...step(5, 1), key: null },
    { ...step(2, 3), key: 'a' },
    { ...step(0, 7), key: 'b' },
  ];
  expect(sumByKey(rows)).toEqual([
    { key: null, accepted: 5, refused: 1, lost: 0 },
    { key: 'a', accepted: 3, refused: 3, lost: 0 },
    { key: 'b', accepted: 0, refused: 7, lost: 0 },
  ]);
});
