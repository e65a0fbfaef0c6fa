import { Badge, Button, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { client, dataOf } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { readEvents } from '../api/read-events.ts';
import { SmallButton } from '../components/buttons.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { Unread } from '../components/loading.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { showFailure } from '../components/toasts.ts';
import { useApplication } from '../pages/application/use-application.ts';
import { words } from '../words/en.ts';
import { isOver, type Job, type Jobs, jobsQuery, sayProgress } from './jobs.ts';

/** Puts each state of a running job into the list, until the job is over or the connection ends. */
async function followJob(domain: string, jobs: Jobs, id: string, signal: AbortSignal): Promise<void> {
  const { data } = await client.GET(`/api/applications/{domain}/${jobs}/{id}/events`, {
    params: { path: { domain, id } },
    parseAs: 'stream',
    signal,
  });
  await readEvents(data, (event) =>
    queryClient.setQueryData(jobsQuery(domain, jobs).queryKey, (list) =>
      list?.map((job) => (job.id === id ? JSON.parse(event.data) : job)),
    ),
  );
}

interface Props {
  jobs: Jobs;
  empty: { title: string; text: string };
  children: (job: Job) => ReactNode;
}

/** All jobs of a kind, newest first, with the progress of the one that runs. */
export function JobList({ jobs, empty, children }: Props) {
  const { domain } = useApplication();
  const { data, error, refetch } = useQuery(jobsQuery(domain, jobs));
  // One, the oldest: browsers have six connections to a host. The list tells about the others.
  const running = data?.findLast((job) => !isOver(job))?.id;
  useEffect(() => {
    if (!running) return;
    const aborter = new AbortController();
    // After a failure, the list is still read again every few seconds.
    followJob(domain, jobs, running, aborter.signal).catch(() => {});
    return () => aborter.abort();
  }, [domain, jobs, running]);
  if (error || !data) return <Unread error={error} retry={refetch} />;
  if (data.length === 0) return <EmptyState {...empty} />;
  return (
    <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
      {data.map((job) => (
        <JobItem key={job.id} jobs={jobs} job={job}>
          {children(job)}
        </JobItem>
      ))}
    </Stack>
  );
}

const colors: Record<Job['state'], string> = {
  waiting: 'gray',
  active: 'blue',
  completed: 'teal',
  failed: 'red',
  cancelled: 'gray',
};

export function JobItem({ jobs, job, children }: { jobs: Jobs; job: Job; children: ReactNode }) {
  const { domain } = useApplication();
  const { done, total } = job.progress;
  const request = { params: { path: { domain, id: job.id } } };
  const remove = useMutation({
    mutationFn: () => dataOf(client.DELETE(`/api/applications/{domain}/${jobs}/{id}`, request)),
    onError: showFailure,
  });
  const retry = useMutation({
    mutationFn: () => dataOf(client.POST(`/api/applications/{domain}/${jobs}/{id}/retry`, request)),
    onError: showFailure,
  });
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
              <SmallButton loading={retry.isPending} onClick={() => retry.mutate()}>
                {words.common.retry}
              </SmallButton>
            )}
            <Button
              size="xs"
              variant="subtle"
              color="red"
              loading={remove.isPending}
              onClick={() => remove.mutate()}
            >
              {isOver(job) ? words.jobs.remove : words.common.cancel}
            </Button>
          </Group>
        </Group>
        {!isOver(job) && (
          <Stack gap={4}>
            <Progress
              value={total > 0 ? (100 * done) / total : 0}
              animated
              aria-label={words.jobs.progress}
            />
            <Text size="sm">{sayProgress(job)}</Text>
          </Stack>
        )}
        {job.error && (
          <Text size="sm" c="var(--mantine-color-error)">
            {job.error}
          </Text>
        )}
        {isOver(job) && children}
      </Stack>
    </Paper>
  );
}
