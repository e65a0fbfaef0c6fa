import { Alert, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ConfirmButtons } from '../../components/confirm-button.tsx';
import { words } from '../../words/en.ts';
import { ChangeList, KeysOf, refusedOf, summaryOf } from './report.tsx';
import type { SchemaDraft } from './use-draft.ts';

interface Props {
  draft: SchemaDraft;
  close: () => void;
  publish: (note: string) => void;
}

/** Says what the publication means for uploads, before it happens. */
export const PublishDialog = ({ opened, ...question }: Props & { opened: boolean }) => (
  <Modal
    opened={opened}
    onClose={question.close}
    title={words.schema.publishVersion(question.draft.version + 1)}
  >
    <Question {...question} />
  </Modal>
);

function Question({ draft: { report, changes = [] }, close, publish }: Props) {
  const [note, setNote] = useState('');
  const stricter = changes.filter(({ kind }) => kind === 'stricter');
  const mayRefuse = (report?.refused ?? 0) > 0;
  return (
    <Stack gap="sm">
      <Text>{summaryOf(changes)}</Text>
      <ChangeList changes={stricter} />
      {report?.refused !== undefined && (
        <Alert color={mayRefuse ? 'red' : 'gray'} p="xs" title={refusedOf(report)}>
          <KeysOf report={report} />
        </Alert>
      )}
      <Text c="dimmed">{words.schema.publishText}</Text>
      <TextInput
        label={words.schema.note}
        placeholder={words.schema.notePlaceholder}
        value={note}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
        maxLength={1_000}
      />
      <ConfirmButtons
        label={words.schema.publish}
        color={mayRefuse ? 'red' : undefined}
        close={close}
        onConfirm={report && (() => publish(note))}
      />
    </Stack>
  );
}
