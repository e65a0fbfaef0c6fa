import { queryOptions } from '@tanstack/react-query';
import { read, type Schemas } from '../api/client.ts';
import { formatDuration, formatNumber } from '../components/formats.ts';
import { words } from '../words/en.ts';

export type ListedJob = Schemas['Job'];

export type Jobs = 'exports' | 'imports' | 'rehearsals' | 'replays' | 'deletions';

export const isOver = ({ state }: ListedJob): boolean => state !== 'waiting' && state !== 'active';

const refreshMs = 3_000;

/** The jobs of an application, newest first; read again until all are over. */
export const jobsQuery = (domain: string, jobs: Jobs) =>
  queryOptions({
    ...read(`/api/applications/{domain}/${jobs}`, { path: { domain } }),
    refetchInterval: ({ state }) => (state.data?.every(isOver) === false ? refreshMs : false),
  });

/** The known part of `3 of 10 · 2 per second · 4 s left`. */
export function sayProgress({ state, progress }: Pick<ListedJob, 'state' | 'progress'>): string {
  if (state === 'waiting') return words.jobs.waiting;
  const { done, total, rate, secondsLeft } = progress;
  return [
    total > 0 ? words.jobs.ofTotal(formatNumber(done), formatNumber(total)) : formatNumber(done),
    ...(rate === undefined ? [] : [words.jobs.rate(rate)]),
    ...(secondsLeft === undefined ? [] : [words.jobs.left(formatDuration(secondsLeft))]),
  ].join(' · ');
}

/** How long a finished job took, and how many it did in a second. */
export function sayPace({
  progress,
  startedAt,
  finishedAt,
}: Pick<ListedJob, 'progress' | 'startedAt' | 'finishedAt'>): string[] {
  if (!startedAt || !finishedAt) return [];
  const seconds = (Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000;
  const rate = Math.round(progress.done / Math.max(seconds, 0.001));
  return [
    words.jobs.took(seconds < 10 ? `${seconds.toFixed(1)} s` : formatDuration(Math.round(seconds))),
    ...(progress.done > 0 ? [words.jobs.rate(rate)] : []),
  ];
}
