import { Button, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Schemas } from '../api/client.ts';
import { Unread } from '../components/loading.tsx';
import { RelativeTime } from '../components/relative-time.tsx';
import { WideTable } from '../components/wide-table.tsx';
import { words } from '../words/en.ts';
import { changeLines, subjectLines } from './change-lines.ts';

type Event = Schemas['Activity'];

interface Props {
  label: string;
  queryKey: string[];
  read: (after: string | undefined, signal: AbortSignal) => Promise<Schemas['ActivityPage']>;
  /** Columns before and behind those that every table has. */
  first: Column[];
  last?: Column[];
}

type Column = [head: string, cell: (event: Event) => ReactNode];

const Lines = ({ lines }: { lines: string[] }) =>
  lines.map((line) => (
    <Text key={line} inherit truncate title={line}>
      {line}
    </Text>
  ));

const { heads } = words.activity;
const shared: Column[] = [
  [heads.action, ({ action }) => action],
  [heads.subject, (event) => <Lines lines={subjectLines(event)} />],
  [heads.change, (event) => <Lines lines={changeLines(event)} />],
  [heads.via, ({ via, token }) => token ?? via],
];

/** Who did what, newest first. */
export function ActivityTable({ label, queryKey, read, first, last = [] }: Props) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam || undefined, signal),
    initialPageParam: '',
    getNextPageParam: ({ cursor }) => cursor,
  });
  const columns = [...first, ...shared, ...last];
  const events = data?.pages.flatMap(({ result }) => result) ?? [];
  return (
    <>
      {(error || !data) && <Unread error={error} retry={refetch} />}
      <WideTable
        label={label}
        head={[heads.at, ...columns.map(([head]) => head)]}
        rows={events.map((event) => ({
          key: event.id,
          cells: [
            <Text key="at" inherit style={{ whiteSpace: 'nowrap' }}>
              <RelativeTime at={event.at} />
            </Text>,
            ...columns.map(([, cell]) => cell(event)),
          ],
        }))}
      />
      {hasNextPage && (
        <Button variant="default" mt="sm" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
          {words.common.more}
        </Button>
      )}
    </>
  );
}
