import { Badge, Button, Group, Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { RelativeTime } from '../components/relative-time.tsx';
import { words } from '../words/en.ts';
import { JobProgress } from './job-progress.tsx';
import { isOver, type Job, type Jobs } from './jobs.ts';
import { useJobActions } from './use-job-actions.ts';

const colors: Record<Job['state'], string> = {
  waiting: 'gray',
  active: 'blue',
  completed: 'teal',
  failed: 'red',
  cancelled: 'gray',
};

interface Props {
  domain: string;
  jobs: Jobs;
  job: Job;
  /** What is said of a job that is over. */
  children?: ReactNode;
}

/** A job in a list, with what can be done with it. */
export function JobItem({ domain, jobs, job, children }: Props) {
  const { remove, retry } = useJobActions(domain, jobs, job.id);
  const hasEnded = isOver(job);
  return (
    <Paper component="li" withBorder p="sm">
      <Stack gap="xs">
        <Group justify="space-between">
          <Group gap="xs">
            <Badge color={colors[job.state]} variant="dot">
              {words.jobs.states[job.state]}
            </Badge>
            <Text size="sm">
              {job.format && `${words.jobs.formats[job.format]} · `}
              <RelativeTime at={job.createdAt} />
            </Text>
          </Group>
          <Group gap="xs">
            {job.state === 'failed' && (
              <Button size="xs" variant="default" loading={retry.isPending} onClick={() => retry.mutate()}>
                {words.common.retry}
              </Button>
            )}
            <Button
              size="xs"
              variant="subtle"
              color="red"
              loading={remove.isPending}
              onClick={() => remove.mutate()}
            >
              {hasEnded ? words.jobs.remove : words.common.cancel}
            </Button>
          </Group>
        </Group>
        {!hasEnded && <JobProgress job={job} />}
        {job.error && (
          <Text size="sm" c="error">
            {job.error}
          </Text>
        )}
        {hasEnded && children}
      </Stack>
    </Paper>
  );
}
