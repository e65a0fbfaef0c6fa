import { Button, Group, Popover, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useRef } from 'react';
import { SmallButton } from '../../components/buttons.tsx';
import { formatTime } from '../../components/formats.ts';
import { words } from '../../words/en.ts';
import { type FormCondition, hasValue, withCondition } from './conditions.ts';
import type { Fields } from './fields.ts';
import { FilterForm } from './filter-form.tsx';

/** `place = Oslo`. */
export function sayCondition({ pointer, operator, text }: FormCondition, { fieldAt }: Fields): string {
  const { name, kind } = fieldAt(pointer);
  const value = kind === 'time' && text ? formatTime(text) : text || '""';
  return [name, words.entries.operators[operator], ...(hasValue(operator) ? [value] : [])].join(' ');
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
  const [isOpen, { toggle, close }] = useDisclosure();
  const button = useRef<HTMLButtonElement>(null);
  function add(condition: FormCondition) {
    setConditions(withCondition(conditions, condition));
    close();
  }
  function remove(condition: FormCondition) {
    setConditions(conditions.filter((other) => other !== condition));
    close();
    // The chip that had the focus is gone.
    button.current?.focus();
  }
  const chips = conditions.map((condition) => {
    const said = sayCondition(condition, fields);
    return (
      <Button
        key={said}
        px="xs"
        maw={260}
        variant="light"
        rightSection="×"
        aria-label={words.entries.removeFilter(said)}
        onClick={() => remove(condition)}
      >
        {said}
      </Button>
    );
  });
  return (
    <>
      <Popover opened={isOpen} onChange={toggle} trapFocus returnFocus position="bottom-start">
        <Popover.Target>
          <SmallButton px="xs" ref={button} onClick={toggle}>
            {words.entries.filters(chips.length)}
          </SmallButton>
        </Popover.Target>
        <Popover.Dropdown maw="calc(100vw - 1.5rem)">
          <Stack gap="sm">
            <FilterForm {...{ fields, seen, add }} />
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
