import { Paper, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { client, dataOf, read, type Schemas } from '../../api/client.ts';
import { SmallButton } from '../../components/buttons.tsx';
import { CardList } from '../../components/cards.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageActions } from '../../components/page-actions.tsx';
import { Section } from '../../components/section.tsx';
import { words } from '../../words/en.ts';
import { useApplication, useMay } from '../application/use-application.ts';
import { ArchiveCard } from './archive-card.tsx';
import { ArchiveForm } from './archive-form.tsx';

const refreshMs = 3_000;

/** The archives of an application: where its entries go, and how far they are. */
export function Page() {
  const { domain } = useApplication();
  const isOwner = useMay('owner');
  const [isOpen, form] = useDisclosure();
  const params = { path: { domain } };
  const archives = useQuery({
    ...read('/api/applications/{domain}/archives', params),
    refetchInterval: refreshMs,
  });
  const create = (body: Schemas['NewArchive']) =>
    dataOf(client.POST('/api/applications/{domain}/archives', { params, body })).then(form.close);
  return (
    <Stack gap="md">
      {isOwner && (
        <PageActions>
          <SmallButton aria-expanded={isOpen} onClick={form.toggle}>
            {words.archives.create}
          </SmallButton>
        </PageActions>
      )}
      {isOpen && (
        <Paper withBorder p="md">
          <Section title={words.archives.create}>
            <ArchiveForm save={create} />
          </Section>
        </Paper>
      )}
      <CardList query={archives} empty={<EmptyState {...words.archives.none} />}>
        {(archive) => <ArchiveCard key={archive.id} archive={archive} />}
      </CardList>
    </Stack>
  );
}
