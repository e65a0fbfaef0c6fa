import { Button, Group, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { Schemas } from '../../api/client.ts';
import { SmallButton } from '../../components/buttons.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { formatTime } from '../../components/formats.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import type { ListSelection } from './entries-query.ts';
import { EntriesTable } from './entries-table.tsx';
import { EntryPanel } from './entry-panel.tsx';
import type { Fields, ListedField } from './fields.ts';
import { Pager } from './pager.tsx';
import { boundsOf } from './period.ts';
import { SelectionBar } from './selection-bar.tsx';
import type { useLive } from './use-live.ts';
import { useMarked } from './use-marked.ts';
import { useNewer } from './use-newer.ts';
import { useShown } from './use-shown.ts';
import type { ViewActions } from './use-view.ts';
import { useWidths } from './use-widths.ts';
import { whyNotLive } from './view.ts';

interface Props {
  actions: ViewActions;
  selection: ListSelection;
  page: UseQueryResult<Schemas['EntryPage']>;
  live: ReturnType<typeof useLive>;
  allFields: Fields;
  /** Of the columns. */
  fields: ListedField[];
  columns: string[];
  /** Selects entries with a value, given as it is typed. */
  pick: (pointer: string, text: string) => void;
}

/** The columns with one of them where another one was. */
function moved(columns: string[], pointer: string, to: string): string[] {
  const others = columns.filter((each) => each !== pointer);
  return others.toSpliced(columns.indexOf(to), 0, pointer);
}

export function EntriesList(props: Props) {
  const { actions, selection, page, live, allFields, fields, columns, pick } = props;
  const { view, change, toNext, toPrevious, open, close } = actions;
  const { domain, last_entry_at } = useApplication();
  const { entries, total, setDeleted } = useShown(page.data, live, view);
  const place = JSON.stringify([selection, view.order, view.sort, view.start, view.after]);
  const marked = useMarked(place);
  const widths = useWidths(domain);
  const why = whyNotLive(view);
  const isFirst = why === undefined;
  const newer = useNewer(domain, selection, page.data, page.dataUpdatedAt, isFirst && !view.isLive);
  if (page.error)
    return (
      <>
        <ErrorAlert error={page.error} onRetry={page.refetch} />
        {view.sort && (
          <SmallButton onClick={() => change({ sort: undefined })}>{words.entries.byTime}</SmallButton>
        )}
      </>
    );
  const hasBounds = view.conditions.length > 0 || view.last !== 'all' || view.from || view.to;
  const newest = isFirst ? (entries?.[0]?.createdAt ?? last_entry_at) : last_entry_at;
  const archived = page.data?.archived_before ?? '';
  const isOlderArchived = (boundsOf(view, Date.now()).from ?? '') < archived;
  return (
    <section aria-label={words.entries.list}>
      <Group gap="0 0.75rem" mih={30}>
        <SelectionBar
          {...{ view, selection, total, marked, allFields, fields }}
          entries={entries ?? []}
          isOld={page.isPlaceholderData}
          onDeleted={(ids) => setDeleted((before) => [...before, ...ids])}
        >
          <Text size="xs">
            {entries && !page.isPlaceholderData ? words.common.entries(total) : words.common.loading}
            {newest && (
              <>
                {' · '}
                {words.entries.last} <RelativeTime at={newest} />
              </>
            )}
          </Text>
        </SelectionBar>
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
      <div className="table-and-panel">
        {entries?.length === 0 ? (
          <NoEntries hasBounds={Boolean(hasBounds)} change={change} />
        ) : (
          <EntriesTable
            {...{ entries, marked, open, pick }}
            page={place}
            columns={{
              fields,
              order: view.order,
              sort: view.sort,
              setSort: (sort) => change({ sort, order: 'newest' }),
              turnOrder: () => change({ order: view.order === 'newest' ? 'oldest' : 'newest' }),
              widths,
              move: (pointer, to) => change({ columns: moved(columns, pointer, to) }),
            }}
            opened={view.entry}
            isOld={page.isPlaceholderData}
          />
        )}
        <EntryPanel id={view.entry} entries={entries ?? []} fields={allFields} {...{ open, close, pick }} />
      </div>
      <Pager
        view={view}
        pagination={page.data?.pagination}
        shown={page.isPlaceholderData ? 0 : (page.data?.result.length ?? 0)}
        {...{ total, toNext, toPrevious }}
      />
    </section>
  );
}

function NoEntries({ hasBounds, change }: { hasBounds: boolean; change: ViewActions['change'] }) {
  const { domain } = useApplication();
  return (
    <EmptyState {...(hasBounds ? words.entries.noMatch : words.entries.empty)}>
      {hasBounds ? (
        <Button
          variant="default"
          onClick={() => change({ last: 'all', from: undefined, to: undefined, conditions: [], unread: [] })}
        >
          {words.entries.clearFilters}
        </Button>
      ) : (
        <Button component={Link} to={`/applications/${domain}/send`}>
          {words.entries.sendData}
        </Button>
      )}
    </EmptyState>
  );
}
