import { Button, Group, Popover, Stack } from '@mantine/core';
import { useRef, useState } from 'react';
import { SmallButton } from '../../components/buttons.tsx';
import { formatTime } from '../../components/formats.ts';
import { words } from '../../words/en.ts';
import { type FormCondition, hasValue, textsOf, withCondition } from './conditions.ts';
import type { Fields } from './fields.ts';
import { FilterForm } from './filter-form.tsx';

/** Other texts than those of the form are shown as they are. */
const isUtc = (text: string) => /^\d{4}-.*T.*Z$/.test(text) && !Number.isNaN(Date.parse(text));

/** `place = Oslo, Rome`. */
export function sayCondition({ pointer, operator, text }: FormCondition, { fieldAt }: Fields): string {
  const { name, kind } = fieldAt(pointer);
  if (!hasValue(operator)) return `${name} ${words.entries.operators[operator]}`;
  const values = textsOf({ operator, text }).map((one) =>
    kind === 'time' && isUtc(one) ? formatTime(one) : one || '""',
  );
  return `${name} ${words.entries.operators[operator === 'in' ? 'eq' : operator]} ${values.join(', ')}`;
}

interface Props {
  fields: Fields;
  /** Fields of the loaded entries that the schema does not have. */
  seen: string[];
  conditions: FormCondition[];
  setConditions: (conditions: FormCondition[]) => void;
}

/** An entry is selected if it meets all conditions. On a phone the chips fold into the button. */
export function Filters({ fields, seen, conditions, setConditions }: Props) {
  const [isOpen, setOpen] = useState(false);
  /** The one that the form changes. */
  const [changed, setChanged] = useState<FormCondition>();
  const button = useRef<HTMLButtonElement>(null);
  function open(condition?: FormCondition) {
    setChanged(condition);
    setOpen(true);
  }
  function add(condition: FormCondition) {
    const others = conditions.filter((other) => other !== changed);
    setConditions(withCondition(others, condition));
    setOpen(false);
  }
  function remove(condition: FormCondition) {
    setConditions(conditions.filter((other) => other !== condition));
    setOpen(false);
    // The chip that had the focus is gone.
    button.current?.focus();
  }
  const chips = conditions.map((condition) => {
    const said = sayCondition(condition, fields);
    return (
      <Button.Group key={said}>
        <Button
          px="xs"
          maw={260}
          variant="light"
          aria-label={words.entries.changeFilter(said)}
          onClick={() => open(condition)}
        >
          {said}
        </Button>
        <Button
          px="xs"
          variant="light"
          aria-label={words.entries.removeFilter(said)}
          onClick={() => remove(condition)}
        >
          ×
        </Button>
      </Button.Group>
    );
  });
  return (
    <>
      <Popover opened={isOpen} onChange={setOpen} trapFocus returnFocus position="bottom-start">
        <Popover.Target>
          <SmallButton px="xs" ref={button} onClick={() => (isOpen ? setOpen(false) : open())}>
            {words.entries.filters(chips.length)}
          </SmallButton>
        </Popover.Target>
        <Popover.Dropdown maw="calc(100vw - 1.5rem)">
          <Stack gap="sm">
            <FilterForm
              key={conditions.indexOf(changed as FormCondition)}
              {...{ fields, seen, add, changed }}
            />
            <Group gap={6} hiddenFrom="sm">
              {chips}
            </Group>
          </Stack>
        </Popover.Dropdown>
      </Popover>
      {chips.length > 0 && (
        <Group gap={6} visibleFrom="sm" className="chips">
          {chips}
        </Group>
      )}
    </>
  );
}
