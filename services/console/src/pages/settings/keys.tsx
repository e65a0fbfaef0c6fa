import { Alert, Code, Group, Paper, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { SubmitButton } from '../../components/buttons.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { Unread } from '../../components/loading.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { submits } from '../../components/submits.ts';
import { showFailure } from '../../components/toasts.ts';
import { words } from '../../words/en.ts';
import { useApplication, useUpdate } from '../application/use-application.ts';
import { SettingsSection } from './settings-section.tsx';

type OnIssued = (issued: Schemas['IssuedKey']) => void;

export function Keys() {
  const { domain, key_required } = useApplication();
  const [issued, setIssued] = useState<Schemas['IssuedKey']>();
  const update = useUpdate();
  const { data, error, refetch } = useQuery({
    queryKey: ['keys', domain],
    queryFn: ({ signal }) =>
      dataOf(client.GET('/api/applications/{domain}/keys', { params: { path: { domain } }, signal })),
  });
  return (
    <SettingsSection title={words.settings.keys} text={words.settings.keysText}>
      <Switch
        label={words.settings.keyRequired}
        checked={key_required}
        disabled={update.isPending}
        onChange={(event) => update.mutate({ key_required: event.currentTarget.checked })}
      />
      {update.error && <ErrorAlert error={update.error} />}
      {issued && <ShownKey issued={issued} onClose={() => setIssued(undefined)} />}
      <NewKey onIssued={setIssued} />
      {(error || !data) && <Unread error={error} retry={refetch} />}
      <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
        {data?.map((key) => (
          <KeyRow key={key.id} ingestKey={key} onIssued={setIssued} />
        ))}
      </Stack>
    </SettingsSection>
  );
}

/** A new key, which the API shows only once. */
function ShownKey({ issued, onClose }: { issued: Schemas['IssuedKey']; onClose: () => void }) {
  return (
    <Alert
      color="teal"
      role="status"
      title={words.settings.keyIssued(issued.name)}
      withCloseButton
      closeButtonLabel={words.common.close}
      onClose={onClose}
    >
      {words.settings.keyOnce}
      <Group mt="xs" align="flex-end">
        <TextInput
          label={words.settings.key}
          readOnly
          value={issued.key}
          onFocus={(event) => event.currentTarget.select()}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          flex={1}
        />
        <CopyText text={issued.key} label={words.settings.copyKey} />
      </Group>
      <Text size="sm" mt="xs" mb={4}>
        {words.settings.header}
      </Text>
      <CodeBlock code={`X-Api-Key: ${issued.key}`} label={words.settings.headerCode} />
    </Alert>
  );
}

function NewKey({ onIssued }: { onIssued: OnIssued }) {
  const { domain } = useApplication();
  const [name, setName] = useState('');
  const params = { path: { domain } };
  const create = useMutation({
    mutationFn: () => dataOf(client.POST('/api/applications/{domain}/keys', { params, body: { name } })),
    onSuccess: (issued) => {
      setName('');
      onIssued(issued);
    },
  });
  return (
    <Group component="form" onSubmit={submits(() => create.mutate())} align="flex-end">
      <TextInput
        label={words.settings.keyName}
        required
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={create.error?.message}
      />
      <SubmitButton loading={create.isPending}>{words.settings.createKey}</SubmitButton>
    </Group>
  );
}

function KeyRow({ ingestKey, onIssued }: { ingestKey: Schemas['Key']; onIssued: OnIssued }) {
  const { id, name, prefix, createdAt } = ingestKey;
  const { domain } = useApplication();
  const request = { params: { path: { domain, id } } };
  const rotate = useMutation({
    mutationFn: () => dataOf(client.POST('/api/applications/{domain}/keys/{id}/rotate', request)),
    onSuccess: onIssued,
    onError: showFailure,
  });
  const revoke = useMutation({
    mutationFn: () => dataOf(client.DELETE('/api/applications/{domain}/keys/{id}', request)),
    onError: showFailure,
  });
  return (
    <Paper component="li" withBorder p="sm">
      <Group justify="space-between">
        <Group gap="xs">
          <Text fw={600}>{name}</Text>
          <Code>{prefix}…</Code>
          <Text size="sm">
            <RelativeTime at={createdAt} />
          </Text>
        </Group>
        <Group gap="xs">
          <ConfirmButton
            label={words.settings.rotate}
            title={words.settings.rotateKey(name)}
            question={words.settings.rotateText}
            onConfirm={() => rotate.mutate()}
          />
          <ConfirmButton
            label={words.settings.revoke}
            title={words.settings.revokeKey(name)}
            question={words.settings.revokeText}
            color="red"
            onConfirm={() => revoke.mutate()}
          />
        </Group>
      </Group>
    </Paper>
  );
}
