import { Code, Group, Paper, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { showFailure } from '../../components/toasts.ts';
import { words } from '../../words/en.ts';
import { keysKey } from './keys-key.ts';

interface Props {
  domain: string;
  ingestKey: Schemas['Key'];
  onIssued: (issued: Schemas['IssuedKey']) => void;
}

/** An ingest key, which can be replaced or revoked. */
export function KeyRow({ domain, ingestKey: { id, name, prefix, createdAt }, onIssued }: Props) {
  const queryClient = useQueryClient();
  const request = { params: { path: { domain, id } } };
  const shared = {
    onError: showFailure,
    onSettled: () => queryClient.invalidateQueries({ queryKey: keysKey(domain) }),
  };
  const rotate = useMutation({
    mutationFn: () => dataOf(client.POST('/api/applications/{domain}/keys/{id}/rotate', request)),
    onSuccess: onIssued,
    ...shared,
  });
  const revoke = useMutation({
    mutationFn: () => dataOf(client.DELETE('/api/applications/{domain}/keys/{id}', request)),
    ...shared,
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
            label={words.access.rotate}
            aria-label={words.access.rotateKey(name)}
            question={words.access.rotateText}
            onConfirm={() => rotate.mutate()}
          />
          <ConfirmButton
            label={words.access.revoke}
            aria-label={words.access.revokeKey(name)}
            question={words.access.revokeText}
            color="red"
            onConfirm={() => revoke.mutate()}
          />
        </Group>
      </Group>
    </Paper>
  );
}
