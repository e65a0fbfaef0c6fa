import { Code, Drawer, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { applicationQuery } from '../../api/applications.ts';
import { client, dataOf } from '../../api/client.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { words } from '../../words/en.ts';
import { type Entry, entriesKey } from './entries-query.ts';

interface Props {
  domain: string;
  /** Undefined: the panel is closed. */
  entry: Entry | undefined;
  close: () => void;
  /** It is not there any more. */
  onDeleted: (id: string) => void;
}

/** An entry as JSON, beside the table. */
export function EntryPanel({ domain, entry, close, onDeleted }: Props) {
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: (id: string) =>
      dataOf(client.DELETE('/api/applications/{domain}/data/{id}', { params: { path: { domain, id } } })),
    onSuccess: async ({ message }, id) => {
      showSuccess(message);
      close();
      onDeleted(id);
      await queryClient.invalidateQueries({ queryKey: entriesKey(domain) });
      await queryClient.invalidateQueries({ queryKey: applicationQuery(domain).queryKey });
    },
  });
  const json = JSON.stringify(entry?.payload, null, 2);
  return (
    <Drawer
      opened={entry !== undefined}
      onClose={close}
      position="right"
      size="lg"
      title={words.entries.panel}
      closeButtonProps={{ 'aria-label': words.common.close }}
    >
      {entry && (
        <>
          <Text size="sm" ff="monospace">
            {entry.id}
          </Text>
          <Text size="sm" mb="sm">
            {entry.createdAt}
            {entry.schema_version !== undefined && ` · ${words.entries.version(entry.schema_version)}`}
          </Text>
          <Group mb="sm">
            <CopyText text={json} label={words.entries.copyJson} />
            <ConfirmButton
              label={words.entries.delete}
              aria-label={words.entries.deleteEntry}
              question={words.entries.deleteQuestion}
              color="red"
              onConfirm={() => remove.mutate(entry.id)}
            />
          </Group>
          {remove.error && <ErrorAlert error={remove.error} />}
          <Code block>{json}</Code>
        </>
      )}
    </Drawer>
  );
}
