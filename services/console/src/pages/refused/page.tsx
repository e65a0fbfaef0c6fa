import { Group, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { queryClient } from '../../api/query-client.ts';
import { groupsQuery, type RefusedGroup, stateOf } from '../../api/refused.ts';
import { SmallButton } from '../../components/buttons.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Unread } from '../../components/loading.tsx';
import { Section } from '../../components/section.tsx';
import { JobList } from '../../jobs/job-list.tsx';
import { isOver, jobsQuery } from '../../jobs/jobs.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { GroupList } from './group-list.tsx';
import { GroupPanel } from './group-panel.tsx';
import { groupIn, keyOf, searchOf } from './group-search.ts';
import './refused.css';
import { ReplayButton, ReplayOutcome } from './replays.tsx';
import { Trend } from './trend.tsx';

/** Both panes fit beside each other. */
const wide = '(min-width: 62em)';

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
      <Panes groups={data} />
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

/** The groups, and the open one beside them. On a narrow screen, the open group replaces the list. */
function Panes({ groups }: { groups: RefusedGroup[] }) {
  const { domain } = useApplication();
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const isWide = useMediaQuery(wide, undefined, { getInitialValueInEffect: false });
  const selected = groupIn(search, groups);
  const open = groups.filter((group) => stateOf(group) === 'open');
  const first = isWide && !search.has('keyword') ? open[0] : undefined;
  const firstSearch = first && searchOf(first);
  useEffect(() => {
    if (firstSearch) void navigate({ search: firstSearch }, { replace: true, preventScrollReset: true });
  }, [firstSearch, navigate]);

  // The next group is read from its top.
  const panel = useRef<HTMLDivElement>(null);
  const key = selected && keyOf(selected);
  useEffect(() => {
    if (key && panel.current && panel.current.getBoundingClientRect().top < 0) panel.current.scrollIntoView();
  }, [key]);

  function toNext(done: RefusedGroup) {
    const next = isWide ? open.find((group) => keyOf(group) !== keyOf(done)) : undefined;
    void navigate({ search: next ? searchOf(next) : '' }, { preventScrollReset: true });
  }
  return (
    <div className="triage" data-open={selected ? true : undefined}>
      <Stack gap="xs">
        <Trend domain={domain} />
        <GroupList groups={groups} selected={selected} />
      </Stack>
      {selected && (
        <div ref={panel} className="group">
          <SmallButton className="back" component={Link} to={{ search: '' }} mb="xs">
            {words.refused.back}
          </SmallButton>
          <GroupPanel key={key} group={selected} onDone={() => toNext(selected)} />
        </div>
      )}
    </div>
  );
}
