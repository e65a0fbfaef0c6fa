import { Button, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { client, dataOf } from '../../api/client.ts';
import { Unread } from '../../components/loading.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { WideTable } from '../../components/wide-table.tsx';
import { words } from '../../words/en.ts';

export function Page() {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['audit'],
    queryFn: ({ pageParam, signal }) =>
      dataOf(client.GET('/api/audit', { params: { query: pageParam ? { after: pageParam } : {} }, signal })),
    initialPageParam: '',
    getNextPageParam: ({ cursor }) => cursor,
  });
  const events = data?.pages.flatMap(({ result }) => result) ?? [];
  return (
    <>
      <PageTitle title={words.audit.title} />
      {(error || !data) && <Unread error={error} retry={refetch} />}
      <WideTable
        label={words.audit.title}
        head={words.audit.columns}
        rows={events.map(({ id, at, action, application, address, requestId }) => ({
          key: id,
          cells: [
            <Text key="at" inherit style={{ whiteSpace: 'nowrap' }}>
              <RelativeTime at={at} />
            </Text>,
            action,
            application,
            address,
            <Text key="requestId" inherit ff="monospace">
              {requestId}
            </Text>,
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
