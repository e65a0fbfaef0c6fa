import { Button, Table } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { client, dataOf } from '../../api/client.ts';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { Loading } from '../../components/loading.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { WideTable } from '../../components/wide-table.tsx';
import { words } from '../../words/en.ts';

/** What was done with the account, newest first. */
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
      {error && <ErrorAlert error={error} onRetry={() => refetch()} />}
      {!data && !error && <Loading />}
      <WideTable label={words.audit.title}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.audit.at}</Table.Th>
            <Table.Th>{words.audit.action}</Table.Th>
            <Table.Th>{words.audit.application}</Table.Th>
            <Table.Th>{words.audit.address}</Table.Th>
            <Table.Th>{words.audit.requestId}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {events.map(({ id, at, action, application, address, requestId }) => (
            <Table.Tr key={id}>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>
                <RelativeTime at={at} />
              </Table.Td>
              <Table.Td>{action}</Table.Td>
              <Table.Td>{application}</Table.Td>
              <Table.Td>{address}</Table.Td>
              <Table.Td ff="monospace">{requestId}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
      {hasNextPage && (
        <Button variant="default" mt="sm" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
          {words.audit.more}
        </Button>
      )}
    </>
  );
}
