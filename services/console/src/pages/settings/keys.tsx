import { Code, Group, Switch, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { SubmitButton } from '../../components/buttons.tsx';
import { Card, Cards } from '../../components/cards.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { Unread } from '../../components/loading.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { ShownOnce } from '../../components/shown-once.tsx';
import { submits } from '../../components/submits.ts';
import { useAct } from '../../components/use-act.ts';
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
      {issued && (
        <ShownOnce
          title={words.settings.keyIssued(issued.name)}
          label={words.settings.key}
          secret={issued.key}
          onClose={() => setIssued(undefined)}
        >
          <Text size="sm" mb={4}>
            {words.settings.header}
          </Text>
          <CodeBlock code={`X-Api-Key: ${issued.key}`} label={words.settings.headerCode} />
        </ShownOnce>
      )}
      <NewKey onIssued={setIssued} />
      {(error || !data) && <Unread error={error} retry={refetch} />}
      <Cards>
        {data?.map((key) => (
          <KeyRow key={key.id} ingestKey={key} onIssued={setIssued} />
        ))}
      </Cards>
    </SettingsSection>
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
  const act = useAct();
  const rotate = () => dataOf(client.POST('/api/applications/{domain}/keys/{id}/rotate', request));
  return (
    <Card
      actions={
        <>
          <ConfirmButton
            label={words.settings.rotate}
            title={words.settings.rotateKey(name)}
            question={words.settings.rotateText}
            onConfirm={() => act(() => rotate().then(onIssued))}
          />
          <ConfirmButton
            label={words.settings.revoke}
            title={words.settings.revokeKey(name)}
            question={words.settings.revokeText}
            color="red"
            onConfirm={() =>
              act(() => dataOf(client.DELETE('/api/applications/{domain}/keys/{id}', request)))
            }
          />
        </>
      }
    >
      <Text fw={600}>{name}</Text>
      <Code>{prefix}…</Code>
      <Text size="sm">
        <RelativeTime at={createdAt} />
      </Text>
    </Card>
  );
}
