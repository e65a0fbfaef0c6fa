import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import type { Column } from '@sluice/tables/columns.ts';
import { useState } from 'react';
import { choicesOf } from '../../components/choices.ts';
import { submits } from '../../components/submits.ts';
import { words } from '../../words/en.ts';
import { type Condition, type Operator, unmetType, withCondition } from './conditions.ts';

interface Props {
  columns: Column[];
  schema: unknown;
  conditions: Condition[];
  setConditions: (conditions: Condition[]) => void;
}

/** Conditions on fields: an entry is listed if it meets all of them. */
export function FilterForm({ columns, schema, conditions, setConditions }: Props) {
  const fields = columns.flatMap(({ name, pointer }) => (pointer ? [{ value: pointer, label: name }] : []));
  const [pointer, setPointer] = useState(fields[0]?.value ?? '');
  const [operator, setOperator] = useState<Operator>('eq');
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string>();
  const nameOf = (wanted: string) => fields.find(({ value }) => value === wanted)?.label ?? wanted;
  const toText = (one: Condition) =>
    `${nameOf(one.pointer)} ${words.entries.operators[one.operator]} ${one.text}`;

  function add() {
    const added = { pointer, operator, text };
    const type = unmetType(added, schema);
    setFault(type && words.entries.notOfType[type]);
    if (type) return;
    setConditions(withCondition(conditions, added));
    setText('');
  }

  if (fields.length === 0) return null;
  return (
    <Group component="form" onSubmit={submits(add)} align="flex-end" gap="xs">
      <NativeSelect
        size="xs"
        label={words.entries.field}
        data={fields}
        value={pointer}
        onChange={(event) => setPointer(event.currentTarget.value)}
      />
      <NativeSelect
        size="xs"
        label={words.entries.operator}
        data={choicesOf(words.entries.operators)}
        value={operator}
        onChange={(event) => setOperator(event.currentTarget.value as Operator)}
      />
      <TextInput
        size="xs"
        label={words.entries.value}
        value={text}
        error={fault}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" size="xs" variant="default">
        {words.entries.addFilter}
      </Button>
      {conditions.map((condition, place) => (
        <Button
          key={toText(condition)}
          size="xs"
          variant="light"
          rightSection="×"
          aria-label={words.entries.removeFilter(toText(condition))}
          onClick={() => setConditions(conditions.filter((_, other) => other !== place))}
        >
          {toText(condition)}
        </Button>
      ))}
    </Group>
  );
}
