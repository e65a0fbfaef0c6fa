import { Code, Drawer, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { client, dataOf } from '../../api/client.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import type { Entry } from './entries-query.ts';

interface Props {
  /** Undefined: the panel is closed. */
  entry: Entry | undefined;
  close: () => void;
  onDeleted: (id: string) => void;
}

export function EntryPanel({ entry, close, onDeleted }: Props) {
  const { domain } = useApplication();
  const remove = useMutation({
    mutationFn: (id: string) =>
      dataOf(client.DELETE('/api/applications/{domain}/data/{id}', { params: { path: { domain, id } } })),
    onSuccess: ({ message }, id) => {
      showSuccess(message);
      close();
      onDeleted(id);
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
              title={words.entries.deleteEntry}
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
