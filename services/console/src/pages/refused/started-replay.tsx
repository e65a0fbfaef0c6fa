import { Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { JobItem } from '../../jobs/job-item.tsx';
import { isOver, jobsQuery } from '../../jobs/jobs.ts';
import { words } from '../../words/en.ts';
import { refusedKey } from './refused.ts';
import { ReplayOutcome } from './replay-outcome.tsx';

/** The replay that was just started, beside what it is for. */
export function StartedReplay({ domain, id }: { domain: string; id: string }) {
  const queryClient = useQueryClient();
  const { data } = useQuery(jobsQuery(domain, 'replays'));
  const job = data?.find((each) => each.id === id);
  const hasEnded = job !== undefined && isOver(job);
  useEffect(() => {
    if (hasEnded) queryClient.invalidateQueries({ queryKey: refusedKey(domain) });
  }, [hasEnded, domain, queryClient]);
  if (!job) return null;
  return (
    <Stack component="ul" aria-label={words.refused.started} p={0} m={0} style={{ listStyle: 'none' }}>
      <JobItem domain={domain} jobs="replays" job={job}>
        <ReplayOutcome job={job} />
      </JobItem>
    </Stack>
  );
}
