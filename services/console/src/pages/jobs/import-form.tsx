import { Checkbox, FileInput, Group, Stack, Text } from '@mantine/core';
import { type DragEvent, useState } from 'react';
import { SubmitButton } from '../../components/buttons.tsx';
import { Choice } from '../../components/choice.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { submits } from '../../components/form.tsx';
import { words } from '../../words/en.ts';
import { type FileType, fileTypeOf } from './preview.ts';
import { PreviewTable } from './preview-table.tsx';
import { useSend } from './send-file.ts';

/** Takes a file, shows its first rows, and sends it. The list below the form shows the import. */
export function ImportForm() {
  const [file, setFile] = useState<File | null>(null);
  const [type, setType] = useState<FileType>('ndjson');
  const [isWrapped, setIsWrapped] = useState(false);
  const { send, forget, transfer } = useSend();
  const isSending = transfer?.state === 'running';

  function take(taken: File | null) {
    if (isSending) return;
    // The error of the file before leaves with it.
    forget();
    setFile(taken);
    setType((before) => fileTypeOf(taken?.name ?? '') ?? before);
  }

  function drop(event: DragEvent) {
    event.preventDefault();
    take(event.dataTransfer.files[0] ?? null);
  }

  return (
    <Stack
      component="form"
      onSubmit={submits(() => file && send({ file, type, isWrapped }, () => setFile(null)))}
      onDrop={drop}
      onDragOver={(event: DragEvent) => event.preventDefault()}
    >
      <Group align="flex-start" grow preventGrowOverflow={false}>
        <FileInput
          label={words.imports.file}
          description={words.imports.fileHint}
          placeholder={words.imports.choose}
          value={file}
          onChange={take}
          disabled={isSending}
          clearable
          clearButtonProps={{ 'aria-label': words.imports.clear }}
        />
        <Choice
          label={words.imports.format}
          description={words.imports.formatHint}
          labels={words.imports.formats}
          value={type}
          onChoice={setType}
          disabled={isSending}
        />
      </Group>
      {type !== 'csv' && (
        <Checkbox
          label={words.imports.wrapped}
          checked={isWrapped}
          onChange={(event) => setIsWrapped(event.currentTarget.checked)}
        />
      )}
      {file && <PreviewTable {...{ file, type, isWrapped }} />}
      {isSending && <Text>{words.imports.sending}</Text>}
      {transfer?.error && <ErrorAlert error={transfer.error} />}
      <SubmitButton disabled={!file} loading={isSending}>
        {words.imports.submit}
      </SubmitButton>
    </Stack>
  );
}
