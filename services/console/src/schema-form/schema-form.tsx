import { Alert, Group, Stack, Text, TextInput } from '@mantine/core';
import { getHotkeyHandler } from '@mantine/hooks';
import { useMemo, useState } from 'react';
import { SmallButton } from '../components/buttons.tsx';
import { words } from '../words/en.ts';
import { addField } from './edits.ts';
import { FieldRow } from './field-row.tsx';
import { type Path, rootOf, type Shape, shapeOf } from './shape.ts';

/** What all parts of the form need. */
export interface Form {
  /** The text whose tree is shown. */
  text: string;
  edit: (change: (text: string) => string) => void;
  /** Shows a place in the JSON. */
  show: (path: Path) => void;
}

interface Props {
  text: string;
  onText: (text: string) => void;
  onShow: (path: Path) => void;
}

/** The schema as a form. What it cannot show stays in the text. */
export function SchemaForm({ text, onText, onShow }: Props) {
  const root = useMemo(() => rootOf(text), [text]);
  const shape = root && shapeOf(root, text);
  if (!shape) return <Alert color="gray">{words.form.noForm}</Alert>;
  const form: Form = { text, edit: (change) => onText(change(text)), show: onShow };
  return (
    <Stack gap="xs" miw={0} role="group" aria-label={words.form.title}>
      <Others form={form} path={[]} shape={shape} />
      <Fields form={form} path={[]} pointer="" shape={shape} />
    </Stack>
  );
}

interface OthersProps {
  form: Form;
  path: Path;
  shape: Shape;
}

export function Others({ form, path, shape: { others } }: OthersProps) {
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

const pageSize = 50;
/** Fewer fields are found without a search. */
const searchFrom = 15;

interface FieldsProps extends OthersProps {
  /** JSON Pointer of the object, for labels. */
  pointer: string;
}

/** The fields of an object, so many at a time. */
export function Fields({ form, path, pointer, shape }: FieldsProps) {
  const [search, setSearch] = useState('');
  const [limit, setLimit] = useState(pageSize);
  const found = shape.properties.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));
  return (
    <Stack gap={6}>
      {shape.properties.length > searchFrom && (
        <TextInput
          aria-label={words.form.search(pointer)}
          placeholder={words.form.searchHint(shape.properties.length)}
          value={search}
          onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        />
      )}
      {found.slice(0, limit).map((member) => (
        <FieldRow key={member.name} {...{ form, path, pointer, member }} parent={shape} />
      ))}
      {found.length > limit && (
        <SmallButton onClick={() => setLimit(limit + pageSize)}>
          {words.form.more(Math.min(pageSize, found.length - limit), found.length - limit)}
        </SmallButton>
      )}
      <NewField {...{ form, path, pointer, shape }} />
    </Stack>
  );
}

function NewField({ form, path, pointer, shape }: FieldsProps) {
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
