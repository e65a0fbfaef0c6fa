import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorAlert } from '../components/error-alert.tsx';
import { Loading } from '../components/loading.tsx';
import { JobItem } from './job-item.tsx';
import type { Job, Jobs } from './jobs.ts';
import { useJobs } from './use-jobs.ts';

interface Props {
  domain: string;
  jobs: Jobs;
  /** What is said where there are none. */
  empty: { title: string; text: string };
  /** What is said of a job that is over. */
  children: (job: Job) => ReactNode;
}

/** All jobs of a kind, newest first. */
export function JobList({ domain, jobs, empty, children }: Props) {
  const { data, error, refetch } = useJobs(domain, jobs);
  if (error) return <ErrorAlert error={error} onRetry={() => refetch()} />;
  if (!data) return <Loading />;
  if (data.length === 0) return <EmptyState {...empty} />;
  return (
    <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
      {data.map((job) => (
        <JobItem key={job.id} domain={domain} jobs={jobs} job={job}>
          {children(job)}
        </JobItem>
      ))}
    </Stack>
  );
}
