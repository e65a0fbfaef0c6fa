import { Checkbox, Group, NativeSelect, TagsInput, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { words } from '../words/en.ts';
import { isLimit, setFormat, setLimit, setType, setValues } from './edits.ts';
import { Nested, type PartProps, TypeSelect } from './field-row.tsx';
import { formats } from './keywords.ts';
import { Fields, Others } from './schema-form.tsx';
import { labelOf, limitsOf, shapeOf } from './shape.ts';

/** What a field may be besides its type, and the fields or items below it. */
export function FieldDetails(props: PartProps) {
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

function FormatSelect({ form, path, shape: { format, others }, pointer }: PartProps) {
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

function LimitInput({ form, path, pointer, name, value }: PartProps & { name: string; value: string }) {
  // What is no number yet, such as a minus sign.
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
