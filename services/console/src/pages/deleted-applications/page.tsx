import { Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import type { Application } from '../../api/applications.ts';
import { client, dataOf } from '../../api/client.ts';
import { SmallButton } from '../../components/buttons.tsx';
import { Card, Cards } from '../../components/cards.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Unread } from '../../components/loading.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { showFailure } from '../../components/toasts.ts';
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
  const navigate = useNavigate();
  const restore = useMutation({
    mutationFn: () =>
      dataOf(client.POST('/api/applications/{domain}/restore', { params: { path: { domain } } })),
    onSuccess: () => navigate(`/applications/${domain}`),
    onError: showFailure,
  });
  return (
    <Card
      actions={
        <SmallButton
          aria-label={words.deleted.restoreName(name)}
          loading={restore.isPending}
          onClick={() => restore.mutate()}
        >
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
