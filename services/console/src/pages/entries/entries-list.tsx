import { Button, Group, Switch, Text } from '@mantine/core';
import type { Column } from '@sluice/tables/columns.ts';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { formatNumber } from '../../components/formats.ts';
import { Loading } from '../../components/loading.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { ColumnPicker } from './column-picker.tsx';
import { type Entry, entriesQuery, type Selection } from './entries-query.ts';
import { EntriesTable } from './entries-table.tsx';
import { EntryPanel } from './entry-panel.tsx';
import { useLive } from './use-live.ts';

const refreshMs = 5_000;

interface Props {
  columns: Column[];
  /** Names of the columns that are shown. */
  shown: string[];
  show: (names: string[]) => void;
  selection: Selection;
}

/** Pages of entries, newest first. While it is live, new ones come on top of the first page. */
export function EntriesList({ columns, shown, show, selection }: Props) {
  const { domain, last_entry_at } = useApplication();
  /** Of the pages between the first one and this. */
  const [cursors, setCursors] = useState<string[]>([]);
  const [isLive, setIsLive] = useState(false);
  const [opened, setOpened] = useState<Entry>();
  const [deleted, setDeleted] = useState<string[]>([]);
  const top = useRef<HTMLElement>(null);
  const close = useCallback(() => setOpened(undefined), []);
  function turnTo(next: string[]) {
    setCursors(next);
    top.current?.scrollIntoView();
  }
  const mayFollow = cursors.length === 0 && Object.values(selection).every((bound) => bound === undefined);
  const isFollowing = isLive && mayFollow;
  const live = useLive(domain, isFollowing);
  const { data, error, refetch } = useQuery({
    ...entriesQuery(domain, selection, cursors.at(-1)),
    refetchInterval: isFollowing && refreshMs,
  });
  if (error) return <ErrorAlert error={error} onRetry={refetch} />;
  if (!data) return <Loading />;
  const { total, isLast, cursor } = data.pagination;
  const listed = new Set(data.result.map(({ id }) => id));
  const entries = [...live.entries.filter(({ id }) => !listed.has(id)), ...data.result]
    .filter(({ id }) => !deleted.includes(id))
    .toSorted((a, b) => (a.id < b.id ? 1 : -1));
  // The total is as old as the page; what came since is told.
  const isNewer = ({ id }: Entry) => id > (data.result[0]?.id ?? '');
  const counted = total + live.entries.filter(isNewer).length;
  const newest = cursors.length === 0 ? (entries[0]?.createdAt ?? last_entry_at) : last_entry_at;
  return (
    <section aria-label={words.entries.list} ref={top}>
      <Group justify="space-between" mb="xs">
        <Text size="sm">
          {words.entries.total(formatNumber(counted))}
          {newest && (
            <>
              {' · '}
              {words.entries.last} <RelativeTime at={newest} />
            </>
          )}
        </Text>
        <Group gap="sm">
          <Switch
            size="sm"
            label={words.entries.live}
            checked={isFollowing}
            disabled={!mayFollow}
            onChange={(event) => setIsLive(event.currentTarget.checked)}
          />
          <ColumnPicker {...{ columns, shown, show }} />
        </Group>
      </Group>
      {live.skipped > 0 && (
        <Text size="sm" role="status" mb="xs">
          {words.entries.skipped(formatNumber(live.skipped))}
        </Text>
      )}
      {entries.length === 0 ? (
        <EmptyState title={words.entries.emptyTitle} text={words.entries.emptyText} />
      ) : (
        <EntriesTable {...{ entries, columns, shown }} open={setOpened} />
      )}
      <Group mt="sm">
        <Button
          size="xs"
          variant="default"
          disabled={cursors.length === 0}
          onClick={() => turnTo(cursors.slice(0, -1))}
        >
          {words.entries.newer}
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={isLast || !cursor}
          onClick={() => cursor && turnTo([...cursors, cursor])}
        >
          {words.entries.older}
        </Button>
      </Group>
      <EntryPanel
        domain={domain}
        entry={opened}
        close={close}
        onDeleted={(id) => setDeleted((before) => [...before, id])}
      />
    </section>
  );
}
