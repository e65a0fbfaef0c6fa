import { Accordion, Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, type Schemas } from '../../api/client.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Unread } from '../../components/loading.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { JobList } from '../../jobs/job-list.tsx';
import { exactDataOf, unshared } from '../../json/exact.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { GroupPanel } from './group-panel.tsx';
import { ReplayButton, ReplayOutcome } from './replays.tsx';
import { Trend } from './trend.tsx';

type RefusedGroup = Schemas['RefusedGroup'];

const refreshMs = 5_000;

export function Page() {
  const { domain, template } = useApplication();
  const { data, error, refetch } = useQuery({
    queryKey: ['refused', domain, 'groups'],
    queryFn: ({ signal }) => {
      const init = { params: { path: { domain } }, parseAs: 'text', signal } as const;
      return exactDataOf<RefusedGroup[]>(client.GET('/api/applications/{domain}/refused/groups', init));
    },
    refetchInterval: refreshMs,
    ...unshared,
  });
  if (!data) return <Unread error={error} retry={refetch} />;
  if (data.length === 0) return <EmptyState {...words.refused.empty} />;
  return (
    <Stack gap="xl">
      <Trend domain={domain} />
      <Groups groups={data} />
      <Section title={words.refused.replays}>
        <Group>
          <ReplayButton request={{}} label={words.refused.replayAll} variant="default" />
          <Text size="sm">{words.refused.replayAllText(template.version)}</Text>
        </Group>
        <JobList jobs="replays" empty={words.refused.noReplays}>
          {(job) => <ReplayOutcome job={job} />}
        </JobList>
      </Section>
    </Stack>
  );
}

/** It becomes part of ids of elements, which have no spaces. */
const keyOf = ({ path, keyword }: RefusedGroup) => encodeURIComponent(`${keyword} ${path}`);

function Groups({ groups }: { groups: RefusedGroup[] }) {
  const [open, setOpen] = useState<string | null>(null);
  return (
    <Section title={words.refused.reasons}>
      <Accordion variant="separated" order={3} value={open} onChange={setOpen}>
        {groups.map((group) => (
          <Accordion.Item key={keyOf(group)} value={keyOf(group)}>
            <Accordion.Control>
              <GroupSummary group={group} />
            </Accordion.Control>
            <Accordion.Panel>{open === keyOf(group) && <GroupPanel group={group} />}</Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Section>
  );
}

function GroupSummary({ group }: { group: RefusedGroup }) {
  const { path, message, count, kept, first_at, last_at } = group;
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Code>{path || '/'}</Code>
        <Text fw={600}>{message}</Text>
      </Group>
      <Group gap="md" fz="sm">
        <span>{words.refused.count(count, kept)}</span>
        <span>
          {words.refused.first} <RelativeTime at={first_at} />
        </span>
        <span>
          {words.refused.last} <RelativeTime at={last_at} />
        </span>
      </Group>
    </Stack>
  );
}
