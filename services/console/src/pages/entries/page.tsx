import './entries.css';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { words } from '../../words/en.ts';
import { useApplication, useMay } from '../application/use-application.ts';
import { Chart } from './chart.tsx';
import { toFilter } from './conditions.ts';
import { EntriesList } from './entries-list.tsx';
import { entriesQuery, type ListSelection } from './entries-query.ts';
import { fieldsOf, leavesOf } from './fields.ts';
import { isInverted } from './period.ts';
import { RunningDeletion } from './running-deletion.tsx';
import { Toolbar } from './toolbar.tsx';
import { UnreadFilters } from './unread-filters.tsx';
import { useLive } from './use-live.ts';
import { useView } from './use-view.ts';
import { whyNotLive } from './view.ts';

const shownAtFirst = 6;
const refreshMs = 5_000;

export function Page() {
  const { domain } = useApplication();
  return <Entries key={domain} />;
}

function Entries() {
  const { domain, template } = useApplication();
  const mayDelete = useMay('editor');
  const actions = useView();
  const { view, change } = actions;
  const fields = useMemo(() => fieldsOf(template.schema as Record<string, unknown>), [template]);
  const declared = useMemo(() => fields.declared.map(({ pointer }) => pointer), [fields]);
  const columns = view.columns ?? declared.slice(0, shownAtFirst);
  const { last, from, to, order, after } = view;
  const selection: ListSelection = { last, from, to, filter: toFilter(view.conditions, fields) };
  const mayFollow = whyNotLive(view) === undefined;
  const isFollowing = view.isLive && mayFollow;
  const live = useLive(domain, isFollowing);
  const page = useQuery({
    ...entriesQuery(domain, { ...selection, order, after }),
    enabled: !isInverted(view),
    // New entries come by themselves only while the list is live.
    refetchOnWindowFocus: isFollowing,
    refetchInterval: isFollowing && refreshMs,
  });
  const seen = useMemo(() => {
    const found = leavesOf((page.data?.result ?? []).map(({ payload }) => payload));
    return found.filter((pointer) => !declared.includes(pointer));
  }, [page.data, declared]);
  return (
    <>
      <Toolbar {...{ actions, fields, selection, columns, seen, mayFollow }} />
      {mayDelete && <RunningDeletion />}
      {isInverted(view) ? (
        <Text role="alert" mt="sm" c="var(--mantine-color-error)">
          {words.entries.inverted}
        </Text>
      ) : (
        <>
          <Chart period={{ last, from, to }} isFiltered={view.conditions.length > 0} setPeriod={change} />
          <UnreadFilters unread={view.unread} remove={() => change({ unread: [] })} />
          <EntriesList {...{ actions, selection, page, live }} fields={columns.map(fields.fieldAt)} />
        </>
      )}
    </>
  );
}
