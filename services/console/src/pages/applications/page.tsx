import { Anchor, Button, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { type Application, applicationsQuery } from '../../api/applications.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { formatNumber } from '../../components/formats.ts';
import { Loading } from '../../components/loading.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { WideTable } from '../../components/wide-table.tsx';
import { words } from '../../words/en.ts';

export function Page() {
  const { data, error, refetch } = useQuery(applicationsQuery);
  return (
    <>
      <PageTitle title={words.applications.title}>{data && data.length > 0 && <CreateLink />}</PageTitle>
      {error && <ErrorAlert error={error} onRetry={refetch} />}
      {!data && !error && <Loading />}
      {data?.length === 0 && (
        <EmptyState title={words.applications.emptyTitle} text={words.applications.emptyText}>
          <CreateLink />
        </EmptyState>
      )}
      {data && data.length > 0 && <ApplicationsTable applications={data} />}
      <Anchor component={Link} to="deleted" display="inline-block" mt="md">
        {words.deleted.title}
      </Anchor>
    </>
  );
}

const CreateLink = () => (
  <Button component={Link} to="/applications/new">
    {words.applications.create}
  </Button>
);

function ApplicationsTable({ applications }: { applications: Application[] }) {
  return (
    <WideTable label={words.applications.title}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{words.applications.name}</Table.Th>
          <Table.Th ta="right">{words.applications.entries}</Table.Th>
          <Table.Th>{words.applications.lastEntry}</Table.Th>
          <Table.Th ta="right">{words.applications.refused}</Table.Th>
          <Table.Th>{words.applications.domain}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {applications.map(({ domain, name, entries, last_entry_at, refused_24h }) => (
          <Table.Tr key={domain}>
            <Table.Td>
              <Anchor component={Link} to={domain} fz="sm">
                {name}
              </Anchor>
            </Table.Td>
            <Table.Td ta="right">{formatNumber(entries)}</Table.Td>
            <Table.Td>
              {last_entry_at ? <RelativeTime at={last_entry_at} /> : words.applications.noEntry}
            </Table.Td>
            <Table.Td ta="right">
              {refused_24h > 0 ? (
                <Anchor component={Link} to={`${domain}/refused`} fz="sm" c="red">
                  {formatNumber(refused_24h)}
                </Anchor>
              ) : (
                0
              )}
            </Table.Td>
            <Table.Td ff="monospace">{domain}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
