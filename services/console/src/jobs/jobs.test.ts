import { expect, it } from 'vitest';
import { type ListedJob, sayPace, sayProgress } from './jobs.ts';

it.each<[ListedJob['state'], ListedJob['progress'], string]>([
  ['waiting', { done: 0, total: 9 }, 'Waiting for a worker'],
  ['active', { done: 1_000, total: 2_500 }, '1,000 of 2,500'],
  ['active', { done: 12, total: 0, rate: 1_200 }, '12 · 1,200 per second'],
  ['active', { done: 1, total: 9, rate: 2, secondsLeft: 4 }, '1 of 9 · 2 per second · 4 s left'],
  ['active', { done: 1, total: 9, rate: 2, secondsLeft: 125 }, '1 of 9 · 2 per second · 2 min 5 s left'],
  ['active', { done: 1, total: 9, rate: 2, secondsLeft: 7_380 }, '1 of 9 · 2 per second · 2 h 3 min left'],
])('says what is known of a job that is %s: %o', (state, progress, text) => {
  expect(sayProgress({ state, progress })).toBe(text);
});

it.each([
  [undefined, '2026-11-25T02:00:01.500Z', []],
  ['2026-11-25T02:00:00.000Z', '2026-11-25T02:00:01.500Z', ['took 1.5 s', '2,000 per second']],
  ['2026-11-25T02:00:00.000Z', '2026-11-25T02:02:05.000Z', ['took 2 min 5 s', '24 per second']],
])('says how long a job took and how fast it was: %s to %s', (startedAt, finishedAt, texts) => {
  const times = startedAt === undefined ? { finishedAt } : { startedAt, finishedAt };
  expect(sayPace({ progress: { done: 3_000, total: 3_000 }, ...times })).toEqual(texts);
});
