import { Box, Checkbox, Group, NativeSelect, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import { getHotkeyHandler } from '@mantine/hooks';
import { toPointer } from '@sluice/json/pointer.ts';
import { useState } from 'react';
import { SmallButton } from '../components/buttons.tsx';
import { words } from '../words/en.ts';
import { removeField, renameField, setRequired, setType } from './edits.ts';
import { FieldDetails } from './field-details.tsx';
import type { Form } from './schema-form.tsx';
import { type Member, type Path, type Shape, shapeOf, typeNames } from './shape.ts';

interface Props {
  form: Form;
  /** Of the object schema around the field. */
  path: Path;
  pointer: string;
  member: Member;
  parent: Shape;
}

/** Nested fields are shown at once if they are so few. */
const fewFields = 10;

export function FieldRow({ form, path, pointer: above, member: { name, node }, parent }: Props) {
  const own = [...path, 'properties', name];
  const pointer = above + toPointer([name]);
  const shape = shapeOf(node, form.text);
  const nested = shape?.properties.length ?? 0;
  const [isOpen, setIsOpen] = useState(nested > 0 && nested <= fewFields);
  return (
    <Box>
      <Group gap={6} wrap="nowrap">
        <UnstyledButton
          aria-expanded={isOpen}
          aria-label={words.form.details(pointer)}
          onClick={() => setIsOpen(!isOpen)}
          disabled={!shape}
          w={20}
        >
          {isOpen ? '▾' : '▸'}
        </UnstyledButton>
        <NameInput {...{ form, path, name, pointer, parent }} />
        {shape ? (
          <TypeSelect {...{ form, shape, pointer }} path={own} />
        ) : (
          <SmallButton onClick={() => form.show(own)}>{words.form.editJson}</SmallButton>
        )}
        <Checkbox
          label={words.form.required}
          aria-label={words.form.of(words.form.required, pointer)}
          disabled={parent.others.includes('required')}
          checked={parent.required.has(name)}
          onChange={({ currentTarget: { checked } }) =>
            form.edit((text) => setRequired(text, path, name, checked))
          }
        />
        <UnstyledButton
          aria-label={words.form.remove(pointer)}
          onClick={() => form.edit((text) => removeField(text, path, name))}
        >
          ✕
        </UnstyledButton>
      </Group>
      {shape && !isOpen && shape.others.length > 0 && (
        <Text size="xs" pl={28}>
          {words.form.others(shape.others)}
        </Text>
      )}
      {shape && isOpen && <FieldDetails {...{ form, shape, pointer }} path={own} />}
    </Box>
  );
}

type NameProps = Pick<Props, 'form' | 'path' | 'parent'> & { name: string; pointer: string };

/** Renames a field when it loses the focus. */
function NameInput({ form, path, name, pointer, parent }: NameProps) {
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

export interface PartProps {
  form: Form;
  path: Path;
  shape: Shape;
  pointer: string;
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
