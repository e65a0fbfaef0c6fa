import { formatDuration, formatNumber } from '../components/formats.ts';
import { words } from '../words/en.ts';
import type { Job } from './jobs.ts';

/** The known part of `3 of 10 · 2 per second · 4 s left`. */
export function sayProgress({ state, progress }: Pick<Job, 'state' | 'progress'>): string {
  if (state === 'waiting') return words.jobs.waiting;
  const { done, total, rate, secondsLeft } = progress;
  return [
    total > 0 ? words.jobs.ofTotal(formatNumber(done), formatNumber(total)) : formatNumber(done),
    ...(rate === undefined ? [] : [words.jobs.rate(rate)]),
    ...(secondsLeft === undefined ? [] : [words.jobs.left(formatDuration(secondsLeft))]),
  ].join(' · ');
}
