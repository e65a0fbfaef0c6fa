import { Alert, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { applicationQuery } from '../../api/applications.ts';
import { client, dataOf } from '../../api/client.ts';
import { RequestFailure } from '../../api/failure.ts';
import { queryClient } from '../../api/query-client.ts';
import { ActButton, SubmitButton } from '../../components/buttons.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { submits } from '../../components/form.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { words } from '../../words/en.ts';
import type { SchemaDraft } from './use-draft.ts';

/** Publishes the draft, unless somebody else has published meanwhile. */
export function PublishForm({ draft }: { draft: SchemaDraft }) {
  const { domain, version, text, changes } = draft;
  const [note, setNote] = useState('');
  const publish = useMutation({
    mutationFn: (schema: string) =>
      dataOf(
        client.POST('/api/applications/{domain}/schemas', {
          params: { path: { domain } },
          body: { schema, if_version: version, ...(note && { note }) },
        }),
      ),
    onSuccess: ({ version: made = version }, schema) => {
      draft.published(made, schema);
      setNote('');
      showSuccess(words.schema.published(made));
    },
  });
  const { error } = publish;
  const isOutdated = error instanceof RequestFailure && error.status === 409;
  return (
    <Stack component="form" gap="sm" onSubmit={submits(() => publish.mutate(text))}>
      <Group align="end">
        <TextInput
          label={words.schema.note}
          placeholder={words.schema.notePlaceholder}
          value={note}
          onChange={({ currentTarget }) => setNote(currentTarget.value)}
          maxLength={1_000}
          flex={1}
          miw={200}
        />
        <SubmitButton disabled={!changes} loading={publish.isPending}>
          {words.schema.publish}
        </SubmitButton>
      </Group>
      {isOutdated && <Outdated draft={draft} onLoad={publish.reset} />}
      {error && !isOutdated && <ErrorAlert error={error} />}
    </Stack>
  );
}

function Outdated({ draft: { domain, load }, onLoad }: { draft: SchemaDraft; onLoad: () => void }) {
  async function loadNewest() {
    const { template } = await queryClient.fetchQuery({ ...applicationQuery(domain), staleTime: 0 });
    load(template);
    onLoad();
  }
  return (
    <Alert color="orange" title={words.schema.outdated} role="alert">
      <Text mb="xs">{words.schema.outdatedText}</Text>
      <ActButton act={loadNewest}>{words.schema.loadNewest}</ActButton>
    </Alert>
  );
}
