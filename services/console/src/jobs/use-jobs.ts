import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { followJob } from './follow-job.ts';
import { isOver, type Jobs, jobsQuery } from './jobs.ts';

/** The jobs of an application, and the progress of the one that runs. */
export function useJobs(domain: string, jobs: Jobs) {
  const queryClient = useQueryClient();
  const query = useQuery(jobsQuery(domain, jobs));
  // One, the oldest: browsers have six connections to a host. The list tells about the others.
  const id = query.data?.findLast((job) => !isOver(job))?.id;
  useEffect(() => {
    if (!id) return;
    const { queryKey } = jobsQuery(domain, jobs);
    const aborter = new AbortController();
    followJob(
      { domain, jobs, id },
      (job) =>
        queryClient.setQueryData(queryKey, (list) => list?.map((each) => (each.id === id ? job : each))),
      aborter.signal,
    ).catch(() => {
      // The list is read again in any case.
    });
    return () => aborter.abort();
  }, [domain, jobs, id, queryClient]);
  return query;
}
