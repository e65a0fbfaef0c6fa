import { Button, Group, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { client, dataOf } from '../../api/client.ts';
import { CopyText } from '../../components/copy-text.tsx';
import { words } from '../../words/en.ts';
import { useApplication, useMay } from '../application/use-application.ts';

interface Props {
  value: string;
  onChange: (key: string) => void;
}

/** The ingest key for the programs and the test entry: a new one, or one that is at hand. */
export function KeyField({ value, onChange }: Props) {
  const params = { path: { domain: useApplication().domain } };
  const mayCreate = useMay('editor');
  const body = { name: words.send.keyName };
  const create = useMutation({
    mutationFn: () => dataOf(client.POST('/api/applications/{domain}/keys', { params, body })),
    onSuccess: ({ key }) => onChange(key),
  });
  return (
    <Group gap="xs" align="end">
      <TextInput
        label={words.send.key}
        description={words.send.keyText}
        placeholder={words.send.yourKey}
        value={value}
        error={create.error?.message}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        flex={1}
        miw={220}
      />
      {value && <CopyText text={value} label={words.send.copyKey} />}
      {!value && mayCreate && (
        <Button variant="default" loading={create.isPending} onClick={() => create.mutate()}>
          {words.send.createKey}
        </Button>
      )}
      {create.data?.key === value && <Text>{words.send.keyOnce}</Text>}
    </Group>
  );
}
