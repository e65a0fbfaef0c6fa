import { Button, Group, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import type { Schemas } from '../../api/client.ts';
import { SmallButton } from '../../components/buttons.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { formatTime } from '../../components/formats.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import type { Entry, ListSelection } from './entries-query.ts';
import { EntriesTable } from './entries-table.tsx';
import { EntryPanel } from './entry-panel.tsx';
import type { Fields, ListedField } from './fields.ts';
import { boundsOf, hasEnd } from './period.ts';
import type { useLive } from './use-live.ts';
import { useNewer } from './use-newer.ts';
import type { ViewActions } from './use-view.ts';
import { whyNotLive } from './view.ts';

interface Props {
  actions: ViewActions;
  selection: ListSelection;
  page: UseQueryResult<Schemas['EntryPage']>;
  live: ReturnType<typeof useLive>;
  allFields: Fields;
  /** Of the columns. */
  fields: ListedField[];
  /** Selects entries with a value, given as it is typed. */
  pick: (pointer: string, text: string) => void;
}

/** The page of entries with those that came live, without those that the panel deleted. */
function useShown({ page: { data }, live, actions: { view } }: Props) {
  const [deleted, setDeleted] = useState<string[]>([]);
  if (!data) return { entries: undefined, total: 0, setDeleted };
  const listed = new Set(data.result.map(({ id }) => id));
  const [lower, higher] = view.order === 'newest' ? [1, -1] : [-1, 1];
  const entries = [...live.entries.filter(({ id }) => !listed.has(id)), ...data.result]
    .filter(({ id }) => !deleted.includes(id))
    .toSorted((a, b) => (a.id < b.id ? lower : higher));
  // The total is as old as the page: live entries count on top.
  const isNewer = ({ id }: Entry) => id > (data.result[0]?.id ?? '');
  return { entries, total: data.pagination.total + live.entries.filter(isNewer).length, setDeleted };
}

export function EntriesList(props: Props) {
  const { actions, selection, page, live, allFields, fields, pick } = props;
  const { view, change, toOlder, toNewer, open, close } = actions;
  const { domain, last_entry_at } = useApplication();
  const { entries, total, setDeleted } = useShown(props);
  const why = whyNotLive(view);
  const isFirst = !view.after && view.order === 'newest' && !hasEnd(view);
  const newer = useNewer(domain, selection, page.data, page.dataUpdatedAt, isFirst && !view.isLive);
  if (page.error) return <ErrorAlert error={page.error} onRetry={page.refetch} />;
  const hasBounds = view.conditions.length > 0 || view.last !== 'all' || view.from || view.to;
  const newest = isFirst ? (entries?.[0]?.createdAt ?? last_entry_at) : last_entry_at;
  const { cursor, isLast } = page.data?.pagination ?? {};
  const archived = page.data?.archived_before ?? '';
  const isOlderArchived = (boundsOf(view, Date.now()).from ?? '') < archived;
  const [onward, back] =
    view.order === 'newest' ? (['older', 'newer'] as const) : (['newer', 'older'] as const);
  return (
    <section aria-label={words.entries.list}>
      <Group gap="0 0.75rem" mih={30}>
        <Text size="xs">
          {entries && !page.isPlaceholderData ? words.common.entries(total) : words.common.loading}
          {newest && (
            <>
              {' · '}
              {words.entries.last} <RelativeTime at={newest} />
            </>
          )}
        </Text>
        <div role="status">
          {newer > 0 && (
            <Button size="compact-xs" variant="light" onClick={() => page.refetch()}>
              {words.entries.newEntries(newer)}
            </Button>
          )}
        </div>
        <Text size="xs" c="dimmed" id="why-not-live" className="why-not-live">
          {why && words.entries.noLive[why]}
          {live.skipped > 0 && words.entries.skipped(live.skipped)}
        </Text>
      </Group>
      {isOlderArchived && (
        <Text size="xs" c="dimmed">
          {words.entries.archived(formatTime(archived))}
        </Text>
      )}
      {entries?.length === 0 ? (
        <EmptyState {...(hasBounds ? words.entries.noMatch : words.entries.empty)}>
          {hasBounds ? (
            <Button
              variant="default"
              onClick={() =>
                change({ last: 'all', from: undefined, to: undefined, conditions: [], unread: [] })
              }
            >
              {words.entries.clearFilters}
            </Button>
          ) : (
            <Button component={Link} to={`/applications/${domain}/send`}>
              {words.entries.sendData}
            </Button>
          )}
        </EmptyState>
      ) : (
        <EntriesTable
          {...{ entries, fields, open, pick }}
          order={view.order}
          opened={view.entry}
          isOld={page.isPlaceholderData}
          turnOrder={() => change({ order: view.order === 'newest' ? 'oldest' : 'newest' })}
        />
      )}
      {(view.after || isLast === false) && (
        <Group mt="sm" gap="xs">
          <SmallButton disabled={!view.after} onClick={toNewer}>
            {words.entries[back]}
          </SmallButton>
          <SmallButton disabled={isLast !== false || !cursor} onClick={() => cursor && toOlder(cursor)}>
            {words.entries[onward]}
          </SmallButton>
        </Group>
      )}
      <EntryPanel
        id={view.entry}
        entries={entries ?? []}
        fields={allFields}
        {...{ open, close, pick }}
        onDeleted={(id) => setDeleted((before) => [...before, id])}
      />
    </section>
  );
}
