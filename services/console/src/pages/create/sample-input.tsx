import { Button, FileButton, Group, Stack, Textarea } from '@mantine/core';
import { readFile } from '@sluice/tables/sample/read-sample.ts';
import { type DragEvent, memo, useState } from 'react';
import { words } from '../../words/en.ts';

/** Shows what a sample can tell: types, a format, a short list of values, an optional field. */
const example = `{"place":"Oslo","celsius":-3.5,"at":"2026-11-23T09:00:00Z","sky":"clear"}
{"place":"Rome","celsius":12,"at":"2026-11-23T09:00:05Z","sky":"clear"}
{"place":"Lima","celsius":19.2,"at":"2026-11-23T09:00:07Z","sky":"cloudy","note":"new sensor"}
`;

interface Props {
  text: string;
  onText(text: string): void;
  error: string | undefined;
}

/** Takes a sample as text or as a file, which stays in the browser. To measure a long text takes time. */
export const SampleInput = memo(function SampleInput({ text, onText, error }: Props) {
  const [unread, setUnread] = useState<string>();

  async function read(file: File | null | undefined) {
    if (!file) return;
    try {
      setUnread(undefined);
      onText(await readFile(file));
    } catch (failure) {
      setUnread((failure as Error).message);
    }
  }

  function drop(event: DragEvent) {
    event.preventDefault();
    void read(event.dataTransfer.files[0]);
  }

  return (
    <Stack gap="xs">
      <Textarea
        label={words.create.sample}
        description={words.create.sampleText}
        placeholder='{"place":"Oslo","celsius":-3.5}'
        minRows={6}
        maxRows={16}
        autosize
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        value={text}
        error={unread ?? error}
        onChange={({ currentTarget }) => onText(currentTarget.value)}
        onDragOver={(event) => event.preventDefault()}
        onDrop={drop}
      />
      <Group gap="xs">
        <FileButton accept=".csv,.json,.ndjson,.jsonl" onChange={read}>
          {(props) => (
            <Button {...props} variant="default">
              {words.create.chooseFile}
            </Button>
          )}
        </FileButton>
        <Button variant="default" onClick={() => onText(example)}>
          {words.create.useExample}
        </Button>
      </Group>
    </Stack>
  );
});
