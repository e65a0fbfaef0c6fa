import { Button, Checkbox, Group, Popover, ScrollArea, Stack, Switch, Text } from '@mantine/core';
import type { Column } from '@sluice/tables/columns.ts';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { SmallButton } from '../../components/buttons.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Unread } from '../../components/loading.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { type Entry, entriesQuery, type Selection } from './entries-query.ts';
import { EntriesTable } from './entries-table.tsx';
import { EntryPanel } from './entry-panel.tsx';
import { useLive } from './use-live.ts';

const refreshMs = 5_000;

interface PickerProps {
  columns: Column[];
  shown: string[];
  show: (names: string[]) => void;
}

interface Props extends PickerProps {
  selection: Selection;
  /** Removes the period and the filter. */
  clear: () => void;
}

/** Pages of entries, newest first. While the list is live, new entries come on top of the first page. */
export function EntriesList({ columns, shown, show, selection, clear }: Props) {
  const { domain, last_entry_at } = useApplication();
  /** Of the pages from the second one to this. */
  const [cursors, setCursors] = useState<string[]>([]);
  const [isLive, setIsLive] = useState(false);
  const [opened, setOpened] = useState<Entry>();
  const [deleted, setDeleted] = useState<string[]>([]);
  const top = useRef<HTMLElement>(null);
  function turnTo(next: string[]) {
    setCursors(next);
    top.current?.scrollIntoView();
  }
  const hasBounds = Object.values(selection).some((bound) => bound !== undefined);
  const mayFollow = cursors.length === 0 && !hasBounds;
  const isFollowing = isLive && mayFollow;
  const live = useLive(domain, isFollowing);
  const { data, error, refetch } = useQuery({
    ...entriesQuery(domain, selection, cursors.at(-1)),
    refetchInterval: isFollowing && refreshMs,
  });
  if (error || !data) return <Unread error={error} retry={refetch} />;
  const { total, isLast, cursor } = data.pagination;
  const listed = new Set(data.result.map(({ id }) => id));
  const entries = [...live.entries.filter(({ id }) => !listed.has(id)), ...data.result]
    .filter(({ id }) => !deleted.includes(id))
    .toSorted((a, b) => (a.id < b.id ? 1 : -1));
  // The total is as old as the page: live entries count on top.
  const isNewer = ({ id }: Entry) => id > (data.result[0]?.id ?? '');
  const counted = total + live.entries.filter(isNewer).length;
  const newest = cursors.length === 0 ? (entries[0]?.createdAt ?? last_entry_at) : last_entry_at;
  return (
    <section aria-label={words.entries.list} ref={top}>
      <Group justify="space-between" mb="xs">
        <Text size="sm">
          {words.common.entries(counted)}
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
          {words.entries.skipped(live.skipped)}
        </Text>
      )}
      {entries.length === 0 && !hasBounds && <EmptyState {...words.entries.empty} />}
      {entries.length === 0 && hasBounds && (
        <EmptyState {...words.entries.noMatch}>
          <Button variant="default" onClick={clear}>
            {words.entries.clearFilters}
          </Button>
        </EmptyState>
      )}
      {entries.length > 0 && (
        <EntriesTable
          entries={entries}
          columns={columns.filter(({ name }) => shown.includes(name))}
          open={setOpened}
        />
      )}
      <Group mt="sm">
        <SmallButton disabled={cursors.length === 0} onClick={() => turnTo(cursors.slice(0, -1))}>
          {words.entries.newer}
        </SmallButton>
        <SmallButton disabled={isLast || !cursor} onClick={() => cursor && turnTo([...cursors, cursor])}>
          {words.entries.older}
        </SmallButton>
      </Group>
      <EntryPanel
        entry={opened}
        close={() => setOpened(undefined)}
        onDeleted={(id) => setDeleted((before) => [...before, id])}
      />
    </section>
  );
}

function ColumnPicker({ columns, shown, show }: PickerProps) {
  return (
    <Popover position="bottom-end" withinPortal={false}>
      <Popover.Target>
        <SmallButton>{words.entries.columns(shown.length, columns.length)}</SmallButton>
      </Popover.Target>
      <Popover.Dropdown>
        <ScrollArea.Autosize mah={320}>
          <Checkbox.Group aria-label={words.entries.chooseColumns} value={shown} onChange={show}>
            <Stack gap="xs">
              {columns.map(({ name }) => (
                <Checkbox key={name} value={name} label={name} size="xs" />
              ))}
            </Stack>
          </Checkbox.Group>
        </ScrollArea.Autosize>
      </Popover.Dropdown>
    </Popover>
  );
}
