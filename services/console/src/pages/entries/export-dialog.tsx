import { Group, Modal, NativeSelect, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { SubmitButton } from '../../components/buttons.tsx';
import { choicesOf } from '../../components/choices.ts';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { submits } from '../../components/submits.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { type Selection, toQuery } from './entries-query.ts';

type ExportRequest = Schemas['ExportRequest'];

interface Props {
  opened: boolean;
  close: () => void;
  selection: Selection;
  /** Names of the columns of the table. */
  columns: string[];
  children: ReactNode;
}

/** Exports what the toolbar selects. The job goes on among the exports. */
export function ExportDialog({ opened, close, selection, columns, children }: Props) {
  const { domain } = useApplication();
  const navigate = useNavigate();
  const [format, setFormat] = useState<NonNullable<ExportRequest['format']>>('csv');
  const [which, setWhich] = useState<keyof typeof words.entries.exportColumns>('all');
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => {
      // A body takes the filter as text too, which the types of the console do not tell.
      const body = {
        ...toQuery(selection),
        format,
        ...(which === 'shown' && { columns: ['createdAt', ...columns] }),
      } as ExportRequest;
      return dataOf(
        client.POST('/api/applications/{domain}/exports', { params: { path: { domain } }, body }),
      );
    },
    onSuccess: () => void navigate(`/applications/${domain}/jobs`),
  });
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={words.entries.exportThese}
      // The lock would add a style without the nonce of the page.
      lockScroll={false}
      closeButtonProps={{ 'aria-label': words.common.close }}
    >
      <Stack component="form" gap="sm" onSubmit={submits(() => mutate())}>
        {children}
        <NativeSelect
          label={words.exports.format}
          data={choicesOf(words.exports.formats)}
          value={format}
          onChange={(event) => setFormat(event.currentTarget.value as typeof format)}
        />
        <NativeSelect
          label={words.exports.columns}
          data={choicesOf(words.entries.exportColumns)}
          value={which}
          onChange={(event) => setWhich(event.currentTarget.value as typeof which)}
        />
        {error && <ErrorAlert error={error} />}
        <Group justify="flex-end">
          <SubmitButton loading={isPending} data-autofocus>
            {words.exports.submit}
          </SubmitButton>
        </Group>
      </Stack>
    </Modal>
  );
}
