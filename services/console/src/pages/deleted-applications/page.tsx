import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import type { Application } from '../../api/applications.ts';
import { client, dataOf } from '../../api/client.ts';
import { SmallButton } from '../../components/buttons.tsx';
import { Card, Cards } from '../../components/cards.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Unread } from '../../components/loading.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { useAct } from '../../components/use-act.ts';
import { words } from '../../words/en.ts';

export function Page() {
  const { data, error, refetch } = useQuery({
    queryKey: ['applications', { deleted: true }],
    queryFn: ({ signal }) =>
      dataOf(client.GET('/api/applications', { params: { query: { deleted: true } }, signal })),
  });
  return (
    <>
      <PageTitle title={words.deleted.title} />
      {(error || !data) && <Unread error={error} retry={refetch} />}
      {data?.length === 0 && <EmptyState {...words.deleted.empty} />}
      <Cards>
        {data?.map((application) => (
          <DeletedApplication key={application.domain} application={application} />
        ))}
      </Cards>
    </>
  );
}

function DeletedApplication({ application: { domain, name, purge_at = '' } }: { application: Application }) {
  const [act, navigate] = [useAct(), useNavigate()];
  const params = { path: { domain } };
  async function restore() {
    await dataOf(client.POST('/api/applications/{domain}/restore', { params }));
    await navigate(`/applications/${domain}`);
  }
  return (
    <Card
      actions={
        <SmallButton aria-label={words.deleted.restoreName(name)} onClick={() => act(restore)}>
          {words.deleted.restore}
        </SmallButton>
      }
    >
      <div>
        <Text fw={600}>{name}</Text>
        <Text size="sm" ff="monospace">
          {domain}
        </Text>
        <Text size="sm">{words.deleted.until(purge_at)}</Text>
      </div>
    </Card>
  );
}
