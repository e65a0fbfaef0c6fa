import { formatDuration, formatNumber } from '../components/formats.ts';
import { words } from '../words/en.ts';
import type { Job } from './jobs.ts';

/** How far a job is, as far as that is known: `3 of 10 · 2 per second · 4 s left`. */
export function sayProgress({
  state,
  progress: { done, total, rate, secondsLeft },
}: Pick<Job, 'state' | 'progress'>): string {
  if (state === 'waiting') return words.jobs.waiting;
  return [
    total > 0 ? words.jobs.ofTotal(formatNumber(done), formatNumber(total)) : formatNumber(done),
    ...(rate === undefined ? [] : [words.jobs.rate(formatNumber(rate))]),
    ...(secondsLeft === undefined ? [] : [words.jobs.left(formatDuration(secondsLeft))]),
  ].join(' · ');
}
