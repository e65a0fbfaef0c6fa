import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import type { Application } from '../../api/applications.ts';
import { client, dataOf, read } from '../../api/client.ts';
import { ActButton } from '../../components/buttons.tsx';
import { Card, CardList } from '../../components/cards.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageTitle } from '../../components/page-title.tsx';
import { words } from '../../words/en.ts';

export function Page() {
  const deleted = useQuery(read('/api/applications', { query: { deleted: true } }));
  return (
    <>
      <PageTitle title={words.deleted.title} />
      <CardList query={deleted} empty={<EmptyState {...words.deleted.empty} />}>
        {(application) => <DeletedApplication key={application.domain} application={application} />}
      </CardList>
    </>
  );
}

function DeletedApplication({ application: { domain, name, purge_at = '' } }: { application: Application }) {
  const navigate = useNavigate();
  const params = { path: { domain } };
  async function restore() {
    await dataOf(client.POST('/api/applications/{domain}/restore', { params }));
    await navigate(`/applications/${domain}`);
  }
  return (
    <Card
      actions={
        <ActButton aria-label={words.deleted.restoreName(name)} act={restore}>
          {words.deleted.restore}
        </ActButton>
      }
    >
      <div>
        <Text fw={600}>{name}</Text>
        <Text ff="monospace">{domain}</Text>
        <Text>{words.deleted.until(purge_at)}</Text>
      </div>
    </Card>
  );
}
