import { Button, Group, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { words } from '../../words/en.ts';
import { keysKey } from './keys-key.ts';

interface Props {
  domain: string;
  onIssued: (issued: Schemas['IssuedKey']) => void;
}

/** Makes an ingest key. */
export function NewKey({ domain, onIssued }: Props) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const create = useMutation({
    mutationFn: () =>
      dataOf(
        client.POST('/api/applications/{domain}/keys', { params: { path: { domain } }, body: { name } }),
      ),
    onSuccess: (issued) => {
      setName('');
      onIssued(issued);
      return queryClient.invalidateQueries({ queryKey: keysKey(domain) });
    },
  });

  function submit(event: FormEvent) {
    event.preventDefault();
    create.mutate();
  }

  return (
    <Group component="form" onSubmit={submit} align="flex-end">
      <TextInput
        label={words.access.keyName}
        required
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={create.error?.message}
      />
      <Button type="submit" loading={create.isPending}>
        {words.access.createKey}
      </Button>
    </Group>
  );
}
