import { Progress, Stack, Text } from '@mantine/core';
import { formatDuration, formatNumber } from '../components/formats.ts';
import { words } from '../words/en.ts';
import type { Job } from './jobs.ts';

function sayProgress({ state, progress: { done, total, rate, secondsLeft } }: Job): string {
  if (state === 'waiting') return words.jobs.waiting;
  return [
    total > 0 ? words.jobs.ofTotal(formatNumber(done), formatNumber(total)) : formatNumber(done),
    ...(rate === undefined ? [] : [words.jobs.rate(formatNumber(rate))]),
    ...(secondsLeft === undefined ? [] : [words.jobs.left(formatDuration(secondsLeft))]),
  ].join(' · ');
}

/** How far a job is, how fast it goes and how long it takes. */
export function JobProgress({ job }: { job: Job }) {
  const { done, total } = job.progress;
  return (
    <Stack gap={4}>
      <Progress value={total > 0 ? (100 * done) / total : 0} animated aria-label={words.jobs.progress} />
      <Text size="sm">{sayProgress(job)}</Text>
    </Stack>
  );
}
