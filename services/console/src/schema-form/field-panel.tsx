import { Checkbox, Group, Stack, TagsInput } from '@mantine/core';
import { useState } from 'react';
import { SmallButton } from '../components/buttons.tsx';
import { words } from '../words/en.ts';
import { removeField, setRequired, setType, setValues } from './edits.ts';
import {
  Closed,
  FormatSelect,
  LimitInput,
  NameInput,
  NewField,
  Notes,
  Others,
  TypeSelect,
  typing,
} from './field-inputs.tsx';
import type { MemberProps, PartProps } from './form.ts';
import { emptyShape, labelOf, limitsOf, shapeOf } from './shape.ts';

interface PanelProps extends MemberProps {
  /** Of the field. */
  own: Omit<PartProps, 'shape'>;
  /** Is called before the field is removed. */
  onRemove: () => void;
}

/** The inputs of a field. */
export function FieldPanel({ form, path, member: { name, node }, parent, own, onRemove }: PanelProps) {
  const shape = shapeOf(node, form.text);
  const { pointer } = own;
  return (
    <Stack gap="xs" className="field-panel">
      <Group gap="sm" align="end">
        <NameInput {...{ form, path, name, pointer, parent }} />
        {shape ? (
          <TypeSelect {...own} shape={shape} />
        ) : (
          <SmallButton onClick={() => form.show(own.path)}>{words.form.editJson}</SmallButton>
        )}
        <Checkbox
          pb={6}
          label={words.form.required}
          aria-label={words.form.of(words.form.required, pointer)}
          disabled={parent.others.includes('required')}
          checked={parent.required.has(name)}
          onChange={({ currentTarget: { checked } }) =>
            form.edit((text) => setRequired(text, path, name, checked))
          }
        />
        {shape && <Nullable {...own} shape={shape} />}
        <SmallButton
          ml="auto"
          aria-label={words.form.remove(pointer)}
          onClick={() => {
            onRemove();
            form.edit((text) => removeField(text, path, name));
          }}
        >
          {words.form.removeField}
        </SmallButton>
      </Group>
      {shape && <Details {...own} shape={shape} />}
    </Stack>
  );
}

function Nullable({ form, path, shape: { types, isNullable }, pointer }: PartProps) {
  const [type = ''] = types.length === 1 ? types : [];
  if (type === '' || type === 'null') return null;
  return (
    <Checkbox
      pb={6}
      label={words.form.nullable}
      aria-label={words.form.of(words.form.nullable, pointer)}
      checked={isNullable}
      onChange={({ currentTarget: { checked } }) => form.edit((text) => setType(text, path, type, checked))}
    />
  );
}

/** What a field may be besides its type. */
function Details(props: PartProps) {
  const { shape } = props;
  const [type = ''] = shape.types.length === 1 ? shape.types : [];
  const limits = (limitsOf[type] ?? []).filter((name) => !shape.others.includes(name));
  return (
    <>
      {(type === 'string' || limits.length > 0) && (
        <Group gap="xs" align="end">
          {type === 'string' && <FormatSelect {...props} />}
          {limits.map((name) => (
            <LimitInput key={name} {...props} name={name} value={shape.limits[name] ?? ''} />
          ))}
        </Group>
      )}
      {type !== 'object' && type !== 'array' && !shape.others.includes('enum') && <Values {...props} />}
      <Notes {...props} />
      <Others {...props} />
      {type === 'array' && <Items {...props} />}
      {(type === 'object' || shape.properties.length > 0) && (
        <Group gap="sm">
          <NewField {...props} />
          <Closed {...props} />
        </Group>
      )}
    </>
  );
}

function Values({ form, path, shape, pointer }: PartProps) {
  const [search, setSearch] = useState('');
  return (
    <TagsInput
      label={words.form.values}
      aria-label={words.form.of(words.form.values, pointer)}
      placeholder={shape.values.length === 0 ? words.form.valuesHint : ''}
      searchValue={search}
      onSearchChange={setSearch}
      value={shape.values.map((node) => labelOf(node, form.text, shape))}
      onChange={(labels) => form.edit((text) => setValues(text, path, shape, labels))}
      {...typing(search !== '')}
    />
  );
}

function Items({ form, path, shape: { items, others }, pointer }: PartProps) {
  const shape = items && shapeOf(items, form.text);
  if (others.includes('items') || (items && !shape)) return null;
  const own = { form, path: [...path, 'items'], pointer: `${pointer}/-` };
  return (
    <fieldset className="field-items">
      <legend>{words.create.items}</legend>
      <Stack gap="xs">
        <Group gap="sm" align="end">
          <TypeSelect {...own} shape={shape ?? emptyShape} />
          {shape && <Nullable {...own} shape={shape} />}
        </Group>
        {shape && <Details {...own} shape={shape} />}
      </Stack>
    </fieldset>
  );
}
