import { Checkbox, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { viewsQuery } from '../../api/views.ts';
import { ActButton } from '../../components/buttons.tsx';
import { Card, CardList } from '../../components/cards.tsx';
import { Form } from '../../components/form.tsx';
import { MadeBy } from '../../components/made-by.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { words } from '../../words/en.ts';
import { useApplication, useMay } from '../application/use-application.ts';
import type { View } from '../entries/view.ts';
import { ViewActions } from './view-actions.tsx';
import { toSaved } from './view-query.ts';

/** Saves what the page of entries shows, and changes what is saved. */
export function ViewsList({ view }: { view: View }) {
  const { domain } = useApplication();
  const isEditor = useMay('editor');
  const saved = useQuery(viewsQuery(domain));
  const query = toSaved(view);
  const save = ({ name, shared }: { name: string; shared?: string }) => {
    const body = { name, query, shared: shared !== undefined };
    return dataOf(client.POST('/api/applications/{domain}/views', { params: { path: { domain } }, body }));
  };
  return (
    <Stack gap="md">
      <Text>{words.views.text}</Text>
      <Form<{ name: string; shared?: string }> act={save} submit={words.views.save} gap="xs">
        {(fault) => (
          <>
            <TextInput
              name="name"
              label={words.views.name}
              required
              maxLength={100}
              error={fault('/name') ?? fault()}
            />
            {isEditor && <Checkbox name="shared" label={words.views.share} />}
          </>
        )}
      </Form>
      <CardList query={saved} empty={<Text>{words.views.none}</Text>}>
        {(each) => <ViewCard key={each.id} view={each} query={query} mayChange={isEditor || !each.shared} />}
      </CardList>
    </Stack>
  );
}

interface Props {
  view: Schemas['SavedView'];
  /** Of what the page shows. */
  query: string;
  mayChange: boolean;
}

function ViewCard({ view, query, mayChange }: Props) {
  const application = useApplication();
  const { domain } = application;
  const { id, name, shared, createdAt, createdBy } = view;
  const params = { path: { domain, id } };
  const replace = async () => {
    await dataOf(
      client.PUT('/api/applications/{domain}/views/{id}', { params, body: { name, query, shared } }),
    );
    showSuccess(words.views.replaced(name));
  };
  return (
    <Card
      actions={
        mayChange && (
          <>
            <ActButton act={replace} aria-label={words.views.replaceOf(name)}>
              {words.views.replace}
            </ActButton>
            <ViewActions {...{ application, view }} />
          </>
        )
      }
    >
      <Text fw={600}>{name}</Text>
      <Text c="dimmed">{shared ? words.views.shared : words.views.private}</Text>
      <MadeBy at={createdAt} by={createdBy} />
    </Card>
  );
}
