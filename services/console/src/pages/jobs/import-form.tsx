import { Button, Checkbox, FileInput, Group, NativeSelect, Progress, Stack, Text } from '@mantine/core';
import { type DragEvent, useState } from 'react';
import { SubmitButton } from '../../components/buttons.tsx';
import { choicesOf } from '../../components/choices.ts';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { submits } from '../../components/submits.ts';
import { words } from '../../words/en.ts';
import { type FileType, fileTypeOf } from './preview.ts';
import { PreviewTable } from './preview-table.tsx';
import { useSend } from './send-file.ts';

/** Takes a file, shows its first rows, and sends it. The list below the form shows the import. */
export function ImportForm() {
  const [file, setFile] = useState<File | null>(null);
  const [type, setType] = useState<FileType>('ndjson');
  const [isWrapped, setIsWrapped] = useState(false);
  const { send, stop, error, isPending, share } = useSend(() => setFile(null));

  function take(taken: File | null) {
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
      onSubmit={submits(() => file && send({ file, type, isWrapped }))}
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
          disabled={isPending}
          clearable
          clearButtonProps={{ 'aria-label': words.imports.clear }}
        />
        <NativeSelect
          label={words.imports.format}
          description={words.imports.formatHint}
          data={choicesOf(words.imports.formats)}
          value={type}
          onChange={(event) => setType(event.currentTarget.value as FileType)}
          disabled={isPending}
        />
      </Group>
      {type !== 'csv' && (
        <Checkbox
          label={words.imports.wrapped}
          checked={isWrapped}
          onChange={(event) => setIsWrapped(event.currentTarget.checked)}
        />
      )}
      {file && <PreviewTable file={file} />}
      {isPending && (
        <Stack gap={4}>
          <Progress value={100 * share} aria-label={words.imports.sending} />
          <Text size="sm">
            {share < 1 ? words.imports.sent(Math.floor(100 * share)) : words.imports.allSent}
          </Text>
        </Stack>
      )}
      {error && <ErrorAlert error={error} />}
      <Group>
        <SubmitButton disabled={!file} loading={isPending}>
          {words.imports.submit}
        </SubmitButton>
        {isPending && (
          <Button variant="default" onClick={stop}>
            {words.common.cancel}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
