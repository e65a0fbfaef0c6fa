import { Button, Checkbox, FileInput, Group, NativeSelect, Progress, Stack, Text } from '@mantine/core';
import { type DragEvent, type FormEvent, useState } from 'react';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { type FileType, fileTypeOf } from './file-type.ts';
import { PreviewTable } from './preview-table.tsx';
import { useSend } from './use-send.ts';

/** Takes a file, shows how it begins, and sends it; the list below shows what becomes of it. */
export function ImportForm() {
  const { domain } = useApplication();
  const [file, setFile] = useState<File | null>(null);
  const [type, setType] = useState<FileType>('ndjson');
  const [isWrapped, setIsWrapped] = useState(false);
  const { send, stop, error, isPending, share } = useSend(domain, () => setFile(null));

  function take(taken: File | null) {
    setFile(taken);
    setType((before) => fileTypeOf(taken?.name ?? '') ?? before);
  }

  function drop(event: DragEvent) {
    event.preventDefault();
    take(event.dataTransfer.files[0] ?? null);
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    if (file) send({ file, type, isWrapped });
  }

  return (
    <Stack
      component="form"
      onSubmit={submit}
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
          data={words.imports.formats}
          value={type}
          onChange={(event) => setType(event.currentTarget.value as FileType)}
          disabled={isPending}
        />
      </Group>
      {type !== 'csv' && (
        <Checkbox
          label={words.imports.wrapped}
          description={words.imports.wrappedHint}
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
        <Button type="submit" disabled={!file} loading={isPending}>
          {words.imports.submit}
        </Button>
        {isPending && (
          <Button variant="default" onClick={stop}>
            {words.common.cancel}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
