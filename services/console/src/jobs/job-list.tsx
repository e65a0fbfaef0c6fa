import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { client } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { readEvents } from '../api/read-events.ts';
import { CardList } from '../components/cards.tsx';
import { useApplication } from '../pages/application/use-application.ts';
import { JobItem } from './job-item.tsx';
import { isOver, type Jobs, jobsQuery, type ListedJob } from './jobs.ts';

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

/** The jobs of a kind, newest first, with the progress of the one that runs. */
export function useJobs(jobs: Jobs, enabled = true) {
  const { domain } = useApplication();
  const query = useQuery({ ...jobsQuery(domain, jobs), enabled });
  // One, the oldest: browsers have six connections to a host. The list tells about the others.
  const running = query.data?.findLast((job) => !isOver(job))?.id;
  useEffect(() => {
    if (!running) return;
    const aborter = new AbortController();
    // After a failure, the list is still read again every few seconds.
    followJob(domain, jobs, running, aborter.signal).catch(() => {});
    return () => aborter.abort();
  }, [domain, jobs, running]);
  return query;
}

interface Props {
  jobs: Jobs;
  empty: string;
  children: (job: ListedJob) => ReactNode;
}

/** All jobs of a kind. */
export function JobList({ jobs, empty, children }: Props) {
  return (
    <CardList query={useJobs(jobs)} empty={<Text c="dimmed">{empty}</Text>}>
      {(job) => (
        <JobItem key={job.id} jobs={jobs} job={job}>
          {children(job)}
        </JobItem>
      )}
    </CardList>
  );
}
