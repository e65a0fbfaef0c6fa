import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { SubmitButton } from '../../components/buttons.tsx';
import { submits } from '../../components/form.tsx';
import { words } from '../../words/en.ts';
import { type FormCondition, faultOf, hasValue, type Operator, operatorsOf } from './conditions.ts';
import { type Fields, toFieldPointer, type ValueKind } from './fields.ts';
import { fromLocal } from './period.ts';

const other = 'other';
const inputTypes: Partial<Record<ValueKind, string>> = { date: 'date', time: 'datetime-local' };

interface Props {
  fields: Fields;
  seen: string[];
  add: (condition: FormCondition) => void;
}

/** A new condition on a field of the schema, one that entries have beside it, or any other. */
export function FilterForm({ fields, seen, add }: Props) {
  const [chosen, setChosen] = useState(fields.declared[0]?.pointer ?? other);
  const [typed, setTyped] = useState('');
  const [wanted, setWanted] = useState<Operator>('eq');
  const [fault, setFault] = useState<ReturnType<typeof faultOf>>();
  const { pointer, kind, choices } = fields.fieldAt(chosen === other ? toFieldPointer(typed) : chosen);
  const operators = operatorsOf[kind];
  const operator = operators.includes(wanted) ? wanted : (operators[0] as Operator);

  function submit(form: FormData) {
    const value = String(form.get('value') ?? '');
    const condition = { pointer, operator, text: kind === 'time' ? (fromLocal(value) ?? '') : value };
    const found = pointer === '/' ? 'value' : faultOf(condition, kind);
    setFault(found);
    if (!found) add(condition);
  }
  const named = (pointers: string[]) =>
    pointers.map((value) => ({ value, label: fields.fieldAt(value).name }));
  const shared = { name: 'value', label: words.entries.value };
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
        (choices.length > 0 ? (
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
      <SubmitButton mt={22}>{words.entries.addFilter}</SubmitButton>
    </Group>
  );
}
