import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { SubmitButton } from '../../components/buttons.tsx';
import { submits } from '../../components/form.tsx';
import { fromLocal, toLocal } from '../../components/time-zone.ts';
import { words } from '../../words/en.ts';
import {
  type FormCondition,
  faultOf,
  fromList,
  hasValue,
  type Operator,
  operatorsOf,
  textsOf,
  toList,
} from './conditions.ts';
import { type Fields, toFieldPointer, type ValueKind } from './fields.ts';

const other = 'other';
const inputTypes: Partial<Record<ValueKind, string>> = { date: 'date', time: 'datetime-local' };

interface Props {
  fields: Fields;
  seen: string[];
  add: (condition: FormCondition) => void;
  /** The one that is changed; undefined: another is added. */
  changed: FormCondition | undefined;
}

/** A condition on a field of the schema, one that entries have beside it, or any other. */
export function FilterForm({ fields, seen, add, changed }: Props) {
  const offered = new Set([...fields.declared.map((field) => field.pointer), ...seen]);
  const first = changed ? changed.pointer : (fields.declared[0]?.pointer ?? other);
  const [chosen, setChosen] = useState(offered.has(first) ? first : other);
  const [typed, setTyped] = useState(changed?.pointer ?? '');
  const [wanted, setWanted] = useState<Operator>(changed?.operator ?? 'eq');
  const [fault, setFault] = useState<ReturnType<typeof faultOf>>();
  const { pointer, kind, choices } = fields.fieldAt(chosen === other ? toFieldPointer(typed) : chosen);
  const operators = operatorsOf[kind];
  const operator = operators.includes(wanted) ? wanted : (operators[0] as Operator);

  function toText(value: string): string {
    if (operator === 'in') return JSON.stringify(fromList(value));
    return kind === 'time' ? (fromLocal(value) ?? '') : value;
  }
  function before(): string | undefined {
    if (!changed) return undefined;
    if (changed.operator === 'in') return toList(textsOf(changed));
    return kind === 'time' ? toLocal(changed.text) : changed.text;
  }
  function submit(form: FormData) {
    const typed = String(form.get('value') ?? '');
    const condition = { pointer, operator, text: toText(typed) };
    const found = pointer === '/' ? 'value' : faultOf(condition, kind);
    setFault(found);
    if (!found) add(condition);
  }
  const named = (pointers: string[]) =>
    pointers.map((value) => ({ value, label: fields.fieldAt(value).name }));
  const shared = {
    name: 'value',
    label: operator === 'in' ? words.entries.values : words.entries.value,
    defaultValue: before(),
  };
  return (
    <Group component="form" onSubmit={submits(submit)} align="flex-start" gap="xs">
      <NativeSelect
        maw={200}
        label={words.entries.field}
        value={chosen}
        onChange={(event) => setChosen(event.currentTarget.value)}
        data={[
          ...named(fields.declared.map((field) => field.pointer)),
          ...(seen.length > 0 ? [{ group: words.entries.seen, items: named(seen) }] : []),
          { value: other, label: words.entries.otherField },
        ]}
      />
      {chosen === other && (
        <TextInput
          label={words.entries.fieldName}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      <NativeSelect
        label={words.entries.operator}
        data={operators.map((value) => ({ value, label: words.entries.operators[value] }))}
        value={operator}
        onChange={(event) => setWanted(event.currentTarget.value as Operator)}
      />
      {hasValue(operator) &&
        (choices.length > 0 && operator !== 'in' ? (
          <NativeSelect {...shared} key={pointer} data={choices} />
        ) : (
          <TextInput
            {...shared}
            key={inputTypes[kind]}
            type={inputTypes[kind] ?? 'text'}
            inputMode={kind === 'number' ? 'decimal' : undefined}
            data-autofocus
            error={fault && words.entries.faults[fault]}
          />
        ))}
      <SubmitButton mt={22}>{changed ? words.entries.setFilter : words.entries.addFilter}</SubmitButton>
    </Group>
  );
}
