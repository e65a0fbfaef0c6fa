import { Progress, Stack, Text } from '@mantine/core';
import { words } from '../words/en.ts';
import type { Job } from './jobs.ts';
import { sayProgress } from './say-progress.ts';

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
