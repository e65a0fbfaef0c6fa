import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { queryClient } from '../../api/query-client.ts';
import { groupsQuery } from '../../api/refused.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Unread } from '../../components/loading.tsx';
import { Section } from '../../components/section.tsx';
import { JobList } from '../../jobs/job-list.tsx';
import { isOver, jobsQuery } from '../../jobs/jobs.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { Groups } from './groups.tsx';
import { ReplayButton, ReplayOutcome } from './replays.tsx';
import { Trend } from './trend.tsx';

export function Page() {
  const { domain, template } = useApplication();
  const { data, error, refetch } = useQuery(groupsQuery(domain));
  const { data: replays } = useQuery(jobsQuery(domain, 'replays'));
  const ended = replays?.filter(isOver).length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each replay that ends changes the counts
  useEffect(() => {
    void queryClient.invalidateQueries({ queryKey: ['refused', domain] });
  }, [ended, domain]);
  if (!data) return <Unread error={error} retry={refetch} />;
  if (data.length === 0) return <EmptyState {...words.refused.empty} />;
  return (
    <Stack gap="xl">
      <Groups groups={data} />
      <Trend domain={domain} />
      <Section title={words.refused.replays}>
        <Group>
          <ReplayButton request={{}} label={words.refused.replayAll} variant="default" />
          <Text>{words.refused.replayAllText(template.version)}</Text>
        </Group>
        <JobList jobs="replays" empty={words.refused.noReplays}>
          {(job) => <ReplayOutcome job={job} />}
        </JobList>
      </Section>
    </Stack>
  );
}
