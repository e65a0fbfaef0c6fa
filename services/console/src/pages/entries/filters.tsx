import { Button, Group, NativeSelect, Popover, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { SmallButton, SubmitButton } from '../../components/buttons.tsx';
import { formatTime } from '../../components/formats.ts';
import { submits } from '../../components/submits.ts';
import { words } from '../../words/en.ts';
import {
  type Condition,
  faultOf,
  hasValue,
  type Operator,
  operatorsOf,
  withCondition,
} from './conditions.ts';
import { type Field, type Fields, toFieldPointer } from './fields.ts';
import { fromLocal, toLocal } from './period.ts';

interface Props {
  fields: Fields;
  /** Fields of the loaded entries that the schema does not have. */
  seen: string[];
  conditions: Condition[];
  setConditions: (conditions: Condition[]) => void;
}

export function sayCondition({ pointer, operator, text }: Condition, { fieldAt }: Fields): string {
  const { name, kind } = fieldAt(pointer);
  const value = kind === 'time' && text !== '' ? formatTime(text) : text;
  return [name, words.entries.operators[operator], hasValue(operator) && (value || '""')]
    .filter(Boolean)
    .join(' ');
}

function Chips({ fields, conditions, setConditions }: Props) {
  return conditions.map((condition, place) => {
    const said = sayCondition(condition, fields);
    return (
      <Button
        key={said}
        size="xs"
        px="xs"
        maw={260}
        variant="light"
        rightSection="×"
        aria-label={words.entries.removeFilter(said)}
        onClick={() => setConditions(conditions.filter((_, other) => other !== place))}
      >
        {said}
      </Button>
    );
  });
}

/** An entry is selected if it meets all conditions. On a phone the chips fold into the button. */
export function Filters(props: Props) {
  const { conditions, setConditions } = props;
  const [isOpen, { toggle, close }] = useDisclosure();
  return (
    <>
      <Popover opened={isOpen} onChange={toggle} trapFocus returnFocus position="bottom-start">
        <Popover.Target>
          <SmallButton onClick={toggle}>{words.entries.filters(conditions.length)}</SmallButton>
        </Popover.Target>
        <Popover.Dropdown maw="100vw">
          <Stack gap="sm">
            <FilterForm
              {...props}
              add={(condition) => {
                setConditions(withCondition(conditions, condition));
                close();
              }}
            />
            {conditions.length > 0 && (
              <Group gap={6} hiddenFrom="sm">
                <Chips {...props} />
              </Group>
            )}
          </Stack>
        </Popover.Dropdown>
      </Popover>
      {conditions.length > 0 && (
        <Group gap={6} visibleFrom="sm">
          <Chips {...props} />
        </Group>
      )}
    </>
  );
}

const other = 'other';

function FilterForm({ fields, seen, add }: Props & { add: (condition: Condition) => void }) {
  const [chosen, setChosen] = useState(fields.declared[0]?.pointer ?? other);
  const [typed, setTyped] = useState('');
  const [operator, setOperator] = useState<Operator>();
  const [text, setText] = useState('');
  const [fault, setFault] = useState<ReturnType<typeof faultOf>>();
  const field = fields.fieldAt(chosen === other ? toFieldPointer(typed) : chosen);
  const operators = operatorsOf[field.kind];
  const [usual] = operators;
  const current = operator && operators.includes(operator) ? operator : (usual as Operator);
  const choices = field.kind === 'boolean' ? ['true', 'false'] : field.choices;
  // What a list shows first is chosen.
  const condition = {
    pointer: field.pointer,
    operator: current,
    text: choices.length > 0 && !choices.includes(text) ? (choices[0] as string) : text,
  };

  function submit() {
    const found = chosen === other && typed === '' ? 'value' : faultOf(condition, field.kind);
    setFault(found);
    if (!found) add({ ...condition, text: hasValue(current) ? condition.text : '' });
  }
  const named = (pointers: string[]) =>
    pointers.map((pointer) => ({ value: pointer, label: fields.fieldAt(pointer).name }));
  return (
    <Group component="form" onSubmit={submits(submit)} align="flex-start" gap="xs">
      <NativeSelect
        size="xs"
        maw={200}
        label={words.entries.field}
        value={chosen}
        onChange={(event) => {
          setChosen(event.currentTarget.value);
          setText('');
        }}
        data={[
          ...named(fields.declared.map(({ pointer }) => pointer)),
          ...(seen.length > 0 ? [{ group: words.entries.seen, items: named(seen) }] : []),
          { value: other, label: words.entries.otherField },
        ]}
      />
      {chosen === other && (
        <TextInput
          size="xs"
          label={words.entries.fieldName}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      <NativeSelect
        size="xs"
        label={words.entries.operator}
        data={operators.map((value) => ({ value, label: words.entries.operators[value] }))}
        value={current}
        onChange={(event) => setOperator(event.currentTarget.value as Operator)}
      />
      {hasValue(current) && (
        <ValueInput
          {...{ field, choices, text: condition.text, setText }}
          error={fault && words.entries.faults[fault]}
        />
      )}
      <SubmitButton size="xs" mt={22}>
        {words.entries.addFilter}
      </SubmitButton>
    </Group>
  );
}

interface ValueProps {
  field: Field;
  choices: string[];
  text: string;
  setText: (text: string) => void;
  error: string | undefined;
}

function ValueInput({ field: { kind }, choices, text, setText, error }: ValueProps) {
  const shared = { size: 'xs', label: words.entries.value, error } as const;
  if (choices.length > 0)
    return (
      <NativeSelect
        {...shared}
        data={choices}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    );
  if (kind === 'time')
    return (
      <TextInput
        {...shared}
        type="datetime-local"
        value={toLocal(text)}
        onChange={(event) => setText(fromLocal(event.currentTarget.value) ?? '')}
      />
    );
  return (
    <TextInput
      {...shared}
      type={kind === 'date' ? 'date' : 'text'}
      inputMode={kind === 'number' ? 'decimal' : undefined}
      data-autofocus
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}
