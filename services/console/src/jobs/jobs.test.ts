import { expect, it } from 'vitest';
import { type Job, sayProgress } from './jobs.ts';

it.each<[Job['state'], Job['progress'], string]>([
  ['waiting', { done: 0, total: 9 }, 'Waiting for a worker'],
  ['active', { done: 1_000, total: 2_500 }, '1,000 of 2,500'],
  ['active', { done: 12, total: 0, rate: 1_200 }, '12 · 1,200 per second'],
  ['active', { done: 1, total: 9, rate: 2, secondsLeft: 4 }, '1 of 9 · 2 per second · 4 s left'],
  ['active', { done: 1, total: 9, rate: 2, secondsLeft: 125 }, '1 of 9 · 2 per second · 2 min 5 s left'],
  ['active', { done: 1, total: 9, rate: 2, secondsLeft: 7_380 }, '1 of 9 · 2 per second · 2 h 3 min left'],
])('says what is known of a job that is %s: %o', (state, progress, text) => {
  expect(sayProgress({ state, progress })).toBe(text);
});
