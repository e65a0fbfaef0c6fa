import { Accordion, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { Loading } from '../../components/loading.tsx';
import { JobList } from '../../jobs/job-list.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { GroupPanel } from './group-panel.tsx';
import { GroupSummary } from './group-summary.tsx';
import { groupsQuery, type RefusedGroup } from './refused.ts';
import { ReplayButton } from './replay-button.tsx';
import { ReplayOutcome } from './replay-outcome.tsx';
import { Trend } from './trend.tsx';

/** What was refused, by reason, and how it becomes entries after all. */
export function Page() {
  const { domain } = useApplication();
  const { data, error, refetch } = useQuery(groupsQuery(domain));
  if (error && !data) return <ErrorAlert error={error} onRetry={() => refetch()} />;
  if (!data) return <Loading />;
  if (data.length === 0) return <EmptyState {...words.refused.empty} />;
  return (
    <Stack gap="xl">
      <Trend domain={domain} />
      <Groups domain={domain} groups={data} />
      <Stack gap="sm">
        <Title order={2} size="h4">
          {words.refused.replays}
        </Title>
        <Group>
          <ReplayButton domain={domain} request={{}} label={words.refused.replayAll} variant="default" />
          <Text size="sm">{words.refused.replayAllText}</Text>
        </Group>
        <JobList domain={domain} jobs="replays" empty={words.refused.noReplays}>
          {(job) => <ReplayOutcome job={job} />}
        </JobList>
      </Stack>
    </Stack>
  );
}

/** It becomes part of ids of elements, which have no spaces. */
const keyOf = ({ path, keyword }: RefusedGroup) => encodeURIComponent(`${keyword} ${path}`);

function Groups({ domain, groups }: { domain: string; groups: RefusedGroup[] }) {
  const [open, setOpen] = useState<string | null>(null);
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {words.refused.reasons}
      </Title>
      <Accordion variant="separated" order={3} value={open} onChange={setOpen}>
        {groups.map((group) => (
          <Accordion.Item key={keyOf(group)} value={keyOf(group)}>
            <Accordion.Control>
              <GroupSummary group={group} />
            </Accordion.Control>
            <Accordion.Panel>
              {open === keyOf(group) && <GroupPanel domain={domain} group={group} />}
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Stack>
  );
}
