import { Box, Checkbox, Group, Stack, TagsInput, Text, TextInput, UnstyledButton } from '@mantine/core';
import { toPointer } from '@sluice/json/pointer.ts';
import { useState } from 'react';
import { SmallButton } from '../components/buttons.tsx';
import { words } from '../words/en.ts';
import { removeField, setRequired, setType, setValues } from './edits.ts';
import {
  type Form,
  FormatSelect,
  LimitInput,
  NameInput,
  Nested,
  NewField,
  Others,
  type PartProps,
  TypeSelect,
} from './field-inputs.tsx';
import { type FormMember, type FormShape, labelOf, limitsOf, type Path, shapeOf } from './shape.ts';

const pageSize = 50;
/** Fewer fields are found without a search. */
const searchFrom = 15;

/** The fields of an object, so many at a time. */
export function Fields({ form, path, pointer, shape }: PartProps) {
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

interface RowProps {
  form: Form;
  /** Of the object schema around the field. */
  path: Path;
  pointer: string;
  member: FormMember;
  parent: FormShape;
}

/** Nested fields are shown at once if they are so few. */
const fewFields = 10;

function FieldRow({ form, path, pointer: above, member: { name, node }, parent }: RowProps) {
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

/** What a field may be besides its type, and the fields or items below it. */
function FieldDetails(props: PartProps) {
  const { form, path, shape, pointer } = props;
  const [type = ''] = shape.types.length === 1 ? shape.types : [];
  const canList = type !== 'object' && type !== 'array' && !shape.others.includes('enum');
  return (
    <Nested>
      <Group gap="xs" align="end">
        {type === 'string' && <FormatSelect {...props} />}
        {(limitsOf[type] ?? []).map(
          (name) =>
            !shape.others.includes(name) && (
              <LimitInput key={name} {...props} name={name} value={shape.limits[name] ?? ''} />
            ),
        )}
        {type !== '' && type !== 'null' && (
          <Checkbox
            pb={6}
            label={words.form.nullable}
            aria-label={words.form.of(words.form.nullable, pointer)}
            checked={shape.isNullable}
            onChange={({ currentTarget: { checked } }) =>
              form.edit((text) => setType(text, path, type, checked))
            }
          />
        )}
      </Group>
      {canList && (
        <TagsInput
          label={words.form.values}
          aria-label={words.form.of(words.form.values, pointer)}
          placeholder={shape.values.length === 0 ? words.form.valuesHint : ''}
          value={shape.values.map((node) => labelOf(node, form.text, shape))}
          onChange={(labels) => form.edit((text) => setValues(text, path, shape, labels))}
        />
      )}
      <Others {...props} />
      {(type === 'object' || shape.properties.length > 0) && <Fields {...props} />}
      {type === 'array' && <Items {...props} />}
    </Nested>
  );
}

function Items({ form, path, shape: { items, others }, pointer }: PartProps) {
  const own = [...path, 'items'];
  const below = `${pointer}/-`;
  const shape = items ? shapeOf(items, form.text) : undefined;
  if (others.includes('items') || (items && !shape)) return null;
  const empty = { types: [''], isNullable: false, format: '', values: [], limits: {}, properties: [] };
  const known = shape ?? { ...empty, required: new Set<string>(), items: undefined, others: [] };
  return (
    <>
      <Group gap="xs">
        <Text>{words.create.items}</Text>
        <TypeSelect form={form} path={own} shape={known} pointer={below} />
      </Group>
      {shape && <FieldDetails form={form} path={own} shape={shape} pointer={below} />}
    </>
  );
}
