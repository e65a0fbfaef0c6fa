import { Checkbox, FileInput, Group, Stack, Text } from '@mantine/core';
import { type DragEvent, useState } from 'react';
import { SubmitButton } from '../../components/buttons.tsx';
import { Choice } from '../../components/choice.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { submits } from '../../components/form.tsx';
import { words } from '../../words/en.ts';
import { ColumnChoices } from './column-choices.tsx';
import { type Chosen, toParameter } from './columns.ts';
import { type FileType, fileTypeOf } from './preview.ts';
import { PreviewTable } from './preview-table.tsx';
import { useSend } from './send-file.ts';
import { usePreview } from './use-preview.ts';

/** Takes a file, shows its first rows, and sends it. The list below the form shows the import. */
export function ImportForm() {
  const [file, setFile] = useState<File | null>(null);
  const [type, setType] = useState<FileType>('ndjson');
  const [isWrapped, setIsWrapped] = useState(false);
  const [chosen, setChosen] = useState<Chosen>({});
  const preview = usePreview(file, { type, isWrapped, chosen });
  const { send, forget, transfer } = useSend();
  const isSending = transfer?.state === 'running';

  function take(taken: File | null) {
    if (isSending) return;
    // The error of the file before leaves with it.
    forget();
    setFile(taken);
    setChosen({});
    setType((before) => fileTypeOf(taken?.name ?? '') ?? before);
  }

  function drop(event: DragEvent) {
    event.preventDefault();
    take(event.dataTransfer.files[0] ?? null);
  }

  function start() {
    if (!file) return;
    const columns = type === 'csv' ? toParameter(preview.data?.columns ?? []) : undefined;
    send({ file, type, isWrapped, columns }, () => setFile(null));
  }

  return (
    <Stack
      component="form"
      onSubmit={submits(start)}
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
      {file && type === 'csv' && preview.data && (
        <ColumnChoices
          columns={preview.data.columns}
          schema={preview.schema}
          onChoose={(choice) => setChosen({ ...chosen, ...choice })}
          disabled={isSending}
        />
      )}
      {file && preview.error && <Text>{words.imports.noPreview}</Text>}
      {file && preview.data && <PreviewTable {...preview.data} />}
      {isSending && <Text>{words.imports.sending}</Text>}
      {transfer?.error && <ErrorAlert error={transfer.error} />}
      <SubmitButton disabled={!file || preview.isFetching} loading={isSending}>
        {words.imports.submit}
      </SubmitButton>
    </Stack>
  );
}
