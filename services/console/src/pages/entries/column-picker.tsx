import { Checkbox, Group, Popover, ScrollArea, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { SmallButton, SubmitButton } from '../../components/buttons.tsx';
import { submits } from '../../components/submits.ts';
import { words } from '../../words/en.ts';
import { type Fields, toFieldPointer } from './fields.ts';

interface Props {
  fields: Fields;
  /** Fields of the loaded entries that the schema does not have. */
  seen: string[];
  /** JSON Pointers. */
  columns: string[];
  setColumns: (columns: string[] | undefined) => void;
}

/** Chooses the columns: fields of the schema, those that entries have beside it, and any other by its name. */
export function ColumnPicker({ fields, seen, columns, setColumns }: Props) {
  const [typed, setTyped] = useState('');
  const declared = fields.declared.map(({ pointer }) => pointer);
  const others = [...new Set([...columns, ...seen])].filter((pointer) => !declared.includes(pointer));
  const boxes = (pointers: string[]) =>
    pointers.map((pointer) => (
      <Checkbox key={pointer} value={pointer} label={fields.fieldAt(pointer).name} size="xs" />
    ));
  function add() {
    const pointer = toFieldPointer(typed);
    if (typed !== '' && !columns.includes(pointer)) setColumns([...columns, pointer]);
    setTyped('');
  }
  return (
    <Popover position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <SmallButton>{words.entries.columns}</SmallButton>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs" w={220}>
          <ScrollArea.Autosize mah={320}>
            <Checkbox.Group aria-label={words.entries.chooseColumns} value={columns} onChange={setColumns}>
              <Stack gap={6}>
                {boxes(declared)}
                {others.length > 0 && (
                  <Text size="xs" c="dimmed">
                    {words.entries.seen}
                  </Text>
                )}
                {boxes(others)}
              </Stack>
            </Checkbox.Group>
          </ScrollArea.Autosize>
          <Group component="form" gap={6} align="flex-end" wrap="nowrap" onSubmit={submits(add)}>
            <TextInput
              size="xs"
              flex={1}
              label={words.entries.otherField}
              placeholder="address.city"
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
            <SubmitButton size="xs" variant="default">
              {words.entries.addColumn}
            </SubmitButton>
          </Group>
          <SmallButton onClick={() => setColumns(undefined)}>{words.entries.usualColumns}</SmallButton>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
