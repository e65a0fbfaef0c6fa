import { Button, Popover, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { SubmitButton } from '../../components/buttons.tsx';
import { choicesOf } from '../../components/choice.tsx';
import { submits } from '../../components/form.tsx';
import { fromLocal, toLocal } from '../../components/time-zone.ts';
import { words } from '../../words/en.ts';
import { boundsOf, isInverted, type Last, type PickedPeriod } from './period.ts';

interface Props {
  period: PickedPeriod & { last: Last };
  setPeriod: (period: PickedPeriod & { last?: Last }) => void;
}

const shapeOf = (isChosen: boolean) =>
  ({
    className: 'period',
    variant: isChosen ? 'filled' : 'default',
    'aria-pressed': isChosen,
  }) as const;

/** The periods before now, and one of the user. */
export function PeriodPicker({ period, setPeriod }: Props) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const [isRefused, setIsRefused] = useState(false);
  const isCustom = Boolean(period.from || period.to);
  function apply(fields: FormData) {
    const [from, to] = ['from', 'to'].map((name) => fromLocal(String(fields.get(name))));
    setIsRefused(isInverted({ from, to }));
    if (isInverted({ from, to })) return;
    close();
    setPeriod({ from, to });
  }
  const input = (bound: 'from' | 'to') => (
    <TextInput
      type="datetime-local"
      name={bound}
      label={words.entries[bound]}
      defaultValue={toLocal(boundsOf(period, Date.now())[bound])}
      error={bound === 'to' && isRefused && words.entries.inverted}
    />
  );
  return (
    <Button.Group aria-label={words.entries.period}>
      {choicesOf(words.entries.lasts).map(({ value, label }) => (
        <Button
          key={value}
          {...shapeOf(!isCustom && value === period.last)}
          onClick={() => setPeriod({ last: value as Last, from: undefined, to: undefined })}
        >
          {label}
        </Button>
      ))}
      <Popover opened={isOpen} onChange={toggle} trapFocus returnFocus position="bottom-start">
        <Popover.Target>
          <Button {...shapeOf(isCustom)} onClick={toggle}>
            {words.entries.custom}
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          <Stack component="form" gap="xs" w={210} onSubmit={submits(apply)}>
            {input('from')}
            {input('to')}
            <SubmitButton>{words.entries.apply}</SubmitButton>
          </Stack>
        </Popover.Dropdown>
      </Popover>
    </Button.Group>
  );
}
