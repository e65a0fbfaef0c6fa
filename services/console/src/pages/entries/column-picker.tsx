import { Checkbox, Group, Popover, ScrollArea, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { SmallButton, SubmitButton } from '../../components/buttons.tsx';
import { submits } from '../../components/form.tsx';
import { words } from '../../words/en.ts';
import { type Fields, toFieldPointer } from './fields.ts';

interface Props {
  fields: Fields;
  /** Fields of the loaded entries that the schema does not have. */
  seen: string[];
  /** JSON Pointers. */
  columns: string[];
  setColumns: (columns: string[]) => void;
}

/** Chooses the columns: fields of the schema, those that entries have beside it, and any other by its name. */
export function ColumnPicker(props: Props) {
  return (
    <Popover position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <SmallButton px="xs">{words.entries.columns}</SmallButton>
      </Popover.Target>
      <Popover.Dropdown w={260}>
        <Choice {...props} />
      </Popover.Dropdown>
    </Popover>
  );
}

function Choice({ fields, seen, columns, setColumns }: Props) {
  // Shown at once: the address, and with it the table, follow a moment later.
  const [chosen, setChosen] = useState(columns);
  const declared = fields.declared.map(({ pointer }) => pointer);
  function choose(pointers: string[]) {
    setChosen([...new Set(pointers)]);
    setColumns([...new Set(pointers)]);
  }
  function add(form: FormData) {
    const typed = String(form.get('field'));
    if (typed) choose([...chosen, toFieldPointer(typed)]);
  }
  return (
    <>
      <ScrollArea.Autosize mah={320}>
        <Checkbox.Group aria-label={words.entries.chooseColumns} value={chosen} onChange={choose}>
          <Stack gap={6}>
            {[...new Set([...declared, ...chosen, ...seen])].map((pointer) => (
              <Checkbox key={pointer} value={pointer} label={fields.fieldAt(pointer).name} />
            ))}
          </Stack>
        </Checkbox.Group>
      </ScrollArea.Autosize>
      <Group component="form" gap={6} mt="xs" align="flex-end" wrap="nowrap" onSubmit={submits(add)}>
        <TextInput name="field" label={words.entries.otherField} placeholder="address.city" />
        <SubmitButton variant="default">{words.entries.addColumn}</SubmitButton>
      </Group>
    </>
  );
}
