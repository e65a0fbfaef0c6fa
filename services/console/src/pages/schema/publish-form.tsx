import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { applicationQuery } from '../../api/applications.ts';
import { client, dataOf } from '../../api/client.ts';
import { ApiFailure } from '../../api/failure.ts';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { words } from '../../words/en.ts';
import { versionsQuery } from './schemas.ts';
import type { Draft } from './use-draft.ts';

/** Publishes the draft, unless somebody else published meanwhile. */
export function PublishForm({ draft }: { draft: Draft }) {
  const { domain, version, text, changes } = draft;
  const queryClient = useQueryClient();
  const [note, setNote] = useState('');
  const publish = useMutation({
    mutationFn: (schema: string) =>
      dataOf(
        client.POST('/api/applications/{domain}/schemas', {
          params: { path: { domain } },
          body: { schema, if_version: version, ...(note && { note }) },
        }),
      ),
    onSuccess: async ({ version: made = version }, schema) => {
      draft.published(made, schema);
      setNote('');
      showSuccess(words.schema.published(made));
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: versionsQuery(domain).queryKey }),
        queryClient.invalidateQueries({ queryKey: applicationQuery(domain).queryKey }),
      ]);
    },
  });
  const { error } = publish;
  const isOutdated = error instanceof ApiFailure && error.status === 409;

  function submit(event: FormEvent) {
    event.preventDefault();
    publish.mutate(text);
  }

  return (
    <Stack component="form" gap="sm" onSubmit={submit}>
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
        <Button type="submit" disabled={!changes} loading={publish.isPending}>
          {words.schema.publish}
        </Button>
      </Group>
      {isOutdated && <Outdated draft={draft} onLoad={publish.reset} />}
      {error && !isOutdated && <ErrorAlert error={error} />}
    </Stack>
  );
}

function Outdated({ draft: { domain, load }, onLoad }: { draft: Draft; onLoad: () => void }) {
  const queryClient = useQueryClient();
  const fetchNewest = useMutation({
    mutationFn: () => queryClient.fetchQuery({ ...applicationQuery(domain), staleTime: 0 }),
    onSuccess: ({ template }) => {
      load(template);
      onLoad();
    },
  });
  return (
    <Alert color="orange" title={words.schema.outdated} role="alert">
      <Text size="sm" mb="xs">
        {words.schema.outdatedText}
      </Text>
      <Button variant="default" loading={fetchNewest.isPending} onClick={() => fetchNewest.mutate()}>
        {words.schema.loadNewest}
      </Button>
      {fetchNewest.error && <ErrorAlert error={fetchNewest.error} />}
    </Alert>
  );
}
