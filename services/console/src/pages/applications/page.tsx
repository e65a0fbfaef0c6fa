import { Anchor, Button, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { type Application, applicationsQuery } from '../../api/applications.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { Loading } from '../../components/loading.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
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
      <Anchor component={Link} to="deleted">
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
    <Table.ScrollContainer minWidth={480}>
      <Table highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.applications.name}</Table.Th>
            <Table.Th>{words.applications.domain}</Table.Th>
            <Table.Th>{words.applications.created}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {applications.map(({ domain, name, createdAt }) => (
            <Table.Tr key={domain}>
              <Table.Td>
                <Anchor component={Link} to={domain}>
                  {name}
                </Anchor>
              </Table.Td>
              <Table.Td ff="monospace">{domain}</Table.Td>
              <Table.Td>
                <RelativeTime at={createdAt} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
