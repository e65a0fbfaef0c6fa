import { Checkbox, Group, NativeSelect, Text, Textarea, TextInput } from '@mantine/core';
import { getHotkeyHandler } from '@mantine/hooks';
import { toPointer } from '@sluice/json/pointer.ts';
import { useState } from 'react';
import { SmallButton } from '../components/buttons.tsx';
import { words } from '../words/en.ts';
import { addField, isLimit, renameField, setClosed, setLimit, setText, setType } from './edits.ts';
import type { PartProps } from './form.ts';
import { formats } from './keywords.ts';
import { type FormShape, typeNames } from './shape.ts';

/** Marks an input whose text is not in the schema yet: Ctrl+Z is of the input then. */
export const typing = (isTyping: boolean) => ({ 'data-typing': isTyping || undefined });

/** JSON Pointer in the schema. */
export const idOf = (path: (string | number)[]) => toPointer(path.map(String));

type NameProps = Omit<PartProps, 'shape'> & { name: string; parent: FormShape };

/** Renames a field by Enter, or when it loses the focus. */
export function NameInput({ form, path, name, pointer, parent }: NameProps) {
  const [typed, setTyped] = useState<string>();
  const isTaken =
    typed !== undefined && typed !== name && parent.properties.some((each) => each.name === typed);
  const rename = () => {
    setTyped(undefined);
    if (typed === undefined || typed === name || isTaken) return;
    form.edit((text) => renameField(text, path, name, typed));
    form.setOpen({ id: idOf([...path, 'properties', typed]), isNew: false });
  };
  return (
    <TextInput
      flex="1 1 9rem"
      maw="18rem"
      label={words.form.name}
      aria-label={words.form.of(words.form.name, pointer)}
      value={typed ?? name}
      error={isTaken && words.form.taken}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      onBlur={rename}
      onKeyDown={(event) => {
        if (event.key === 'Enter') {
          event.preventDefault();
          rename();
        }
        if (event.key !== 'Escape' || typed === undefined) return;
        // The first one is about the name alone.
        event.stopPropagation();
        setTyped(undefined);
      }}
      {...typing(typed !== undefined)}
    />
  );
}

/** A schema of several types keeps them until another one is chosen. */
export function TypeSelect({ form, path, shape: { types, isNullable, others }, pointer }: PartProps) {
  const value = types.join(', ');
  const choices = typeNames.includes(value) ? typeNames : [value, ...typeNames];
  return (
    <NativeSelect
      flex="0 0 7rem"
      label={words.form.type}
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
      onChange={({ currentTarget }) =>
        form.edit((text) => setText(text, path, 'format', currentTarget.value))
      }
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
        if (canSet) form.edit((text) => setLimit(text, path, name, typed), idOf([...path, name]));
      }}
      onBlur={() => setUnset(undefined)}
      {...typing(unset !== undefined)}
    />
  );
}

/** `title` and `description`, which are for people. */
export function Notes({ form, path, shape, pointer }: PartProps) {
  const shown = (['title', 'description'] as const).filter((name) => !shape.others.includes(name));
  return (
    <Group gap="xs" align="start">
      {shown.map((name) => (
        <Textarea
          key={name}
          flex={name === 'title' ? '1 1 10rem' : '3 1 16rem'}
          autosize
          minRows={1}
          maxRows={8}
          label={words.form[name]}
          aria-label={words.form.of(words.form[name], pointer)}
          value={shape[name]}
          onChange={({ currentTarget: { value } }) =>
            form.edit((text) => setText(text, path, name, value), idOf([...path, name]))
          }
        />
      ))}
    </Group>
  );
}

/** Whether an object may have fields that the schema does not name. */
export const Closed = ({ form, path, pointer, shape: { isClosed, others } }: PartProps) => (
  <Checkbox
    label={words.form.closed}
    aria-label={words.form.of(words.form.closed, pointer || words.form.theSchema)}
    disabled={others.includes('additionalProperties')}
    checked={isClosed}
    onChange={({ currentTarget: { checked } }) => form.edit((text) => setClosed(text, path, checked))}
  />
);

/** Adds a field, and opens its inputs. */
export function NewField({ form, path, pointer, shape }: PartProps) {
  const [name, setName] = useState('');
  const isTaken = shape.properties.some((each) => each.name === name);
  const add = () => {
    if (name === '' || isTaken) return;
    form.edit((text) => addField(text, path, name));
    form.setOpen({ id: idOf([...path, 'properties', name]), isNew: true });
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
        {...typing(name !== '')}
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
      {!form.isReadOnly && (
        <SmallButton onClick={() => form.show([...path, others[0] as string])}>
          {words.form.editJson}
        </SmallButton>
      )}
    </Group>
  );
}
