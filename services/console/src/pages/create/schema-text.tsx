import { Button, Group, JsonInput } from '@mantine/core';
import { words } from '../../words/en.ts';

interface Props {
  text: string;
  /** Whether it was changed here, so that the fields above no longer decide it. */
  isEdited: boolean;
  onText(text: string): void;
  onReset(): void;
}

/** The schema as JSON, which can be changed by hand. */
export function SchemaText({ text, isEdited, onText, onReset }: Props) {
  return (
    <>
      <JsonInput
        label={words.create.schema}
        description={isEdited ? words.create.schemaEdited : words.create.schemaText}
        validationError={words.create.notJson}
        autosize
        minRows={6}
        maxRows={24}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        value={text}
        onChange={onText}
      />
      {isEdited && (
        <Group mt="xs">
          <Button variant="default" size="xs" onClick={onReset}>
            {words.create.fromSample}
          </Button>
        </Group>
      )}
    </>
  );
}
