import { Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { getHotkeyHandler } from '@mantine/hooks';
import { useState } from 'react';
import { SmallButton } from '../components/buttons.tsx';
import { words } from '../words/en.ts';
import { addField, isLimit, renameField, setFormat, setLimit, setType } from './edits.ts';
import { formats } from './keywords.ts';
import { type FormShape, type Path, typeNames } from './shape.ts';

/** What all parts of the form need. */
export interface Form {
  /** The text whose tree is shown. */
  text: string;
  edit: (change: (text: string) => string) => void;
  /** Shows a place in the JSON. */
  show: (path: Path) => void;
}

export interface PartProps {
  form: Form;
  path: Path;
  shape: FormShape;
  /** JSON Pointer of the part, for labels. */
  pointer: string;
}

type NameProps = Omit<PartProps, 'shape'> & { name: string; parent: FormShape };

/** Renames a field when it loses the focus. */
export function NameInput({ form, path, name, pointer, parent }: NameProps) {
  const [typed, setTyped] = useState(name);
  const isTaken = typed !== name && parent.properties.some((each) => each.name === typed);
  const rename = () => {
    if (typed === name || isTaken) return setTyped(name);
    form.edit((text) => renameField(text, path, name, typed));
  };
  return (
    <TextInput
      flex="1 1 6rem"
      aria-label={words.form.of(words.form.name, pointer)}
      value={typed}
      error={isTaken && words.form.taken}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      onBlur={rename}
      onKeyDown={getHotkeyHandler([['Enter', rename]])}
    />
  );
}

/** A schema of several types keeps them until another one is chosen. */
export function TypeSelect({ form, path, shape: { types, isNullable, others }, pointer }: PartProps) {
  const value = types.join(', ');
  const choices = typeNames.includes(value) ? typeNames : [value, ...typeNames];
  return (
    <NativeSelect
      flex="0 0 6.25rem"
      aria-label={words.form.of(words.form.type, pointer)}
      disabled={others.includes('type')}
      data={choices.map((type) => ({ value: type, label: type || words.form.anyType }))}
      value={value}
      onChange={({ currentTarget }) =>
        form.edit((text) => setType(text, path, currentTarget.value, isNullable))
      }
    />
  );
}

export function FormatSelect({ form, path, shape: { format, others }, pointer }: PartProps) {
  const choices = formats.includes(format) ? formats : [format, ...formats];
  return (
    <NativeSelect
      label={words.form.format}
      aria-label={words.form.of(words.form.format, pointer)}
      disabled={others.includes('format')}
      data={['', ...choices.filter(Boolean)].map((value) => ({ value, label: value || words.form.noFormat }))}
      value={format}
      onChange={({ currentTarget }) => form.edit((text) => setFormat(text, path, currentTarget.value))}
    />
  );
}

export function LimitInput({
  form,
  path,
  pointer,
  name,
  value,
}: PartProps & { name: string; value: string }) {
  // Text that is not a number yet, such as a minus sign.
  const [unset, setUnset] = useState<string>();
  const label = words.form.limits[name as keyof typeof words.form.limits];
  return (
    <TextInput
      w="6.5rem"
      inputMode="decimal"
      label={label}
      aria-label={words.form.of(label, pointer)}
      value={unset ?? value}
      error={unset !== undefined && words.form.noLimit}
      onChange={({ currentTarget: { value: typed } }) => {
        const canSet = isLimit(name, typed);
        setUnset(canSet ? undefined : typed);
        if (canSet) form.edit((text) => setLimit(text, path, name, typed));
      }}
      onBlur={() => setUnset(undefined)}
    />
  );
}

export function NewField({ form, path, pointer, shape }: PartProps) {
  const [name, setName] = useState('');
  const isTaken = shape.properties.some((each) => each.name === name);
  const add = () => {
    if (name === '' || isTaken) return;
    form.edit((text) => addField(text, path, name));
    setName('');
  };
  return (
    <Group gap="xs" align="start">
      <TextInput
        aria-label={words.form.newField(pointer)}
        placeholder={words.form.newFieldHint}
        value={name}
        error={isTaken && words.form.taken}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        // Alone, the key would send the form around it.
        onKeyDown={getHotkeyHandler([['Enter', add]])}
      />
      <SmallButton onClick={add} disabled={name === '' || isTaken}>
        {words.form.add}
      </SmallButton>
    </Group>
  );
}

/** Says what the form cannot show. */
export function Others({ form, path, shape: { others } }: Omit<PartProps, 'pointer'>) {
  if (others.length === 0) return null;
  return (
    <Group gap="xs">
      <Text>{words.form.others(others)}</Text>
      <SmallButton onClick={() => form.show([...path, others[0] as string])}>
        {words.form.editJson}
      </SmallButton>
    </Group>
  );
}

/** A part of a schema below the one around it. */
export const Nested = ({ children }: { children: React.ReactNode }) => (
  <Stack
    gap={6}
    ml={9}
    pl="sm"
    pt={6}
    style={{ borderLeft: '1px solid var(--mantine-color-default-border)' }}
  >
    {children}
  </Stack>
);
