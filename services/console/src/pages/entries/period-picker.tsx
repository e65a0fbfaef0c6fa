import { Button, Group, Popover, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { SmallButton, SubmitButton } from '../../components/buttons.tsx';
import { choicesOf } from '../../components/choices.ts';
import { submits } from '../../components/submits.ts';
import { words } from '../../words/en.ts';
import { boundsOf, fromLocal, isInverted, type Last, type Period, toLocal } from './period.ts';

interface Props {
  period: Period & { last: Last };
  setPeriod: (period: Period & { last?: Last }) => void;
}

/** The periods before now, and one of the user. */
export function PeriodPicker({ period, setPeriod }: Props) {
  const [isOpen, custom] = useDisclosure();
  const isCustom = Boolean(period.from || period.to);
  return (
    <Button.Group aria-label={words.entries.period}>
      {choicesOf(words.entries.lasts).map(({ value, label }) => {
        const isChosen = !isCustom && value === period.last;
        return (
          <Button
            key={value}
            size="xs"
            px="xs"
            variant={isChosen ? 'filled' : 'default'}
            aria-pressed={isChosen}
            onClick={() => setPeriod({ last: value as Last, from: undefined, to: undefined })}
          >
            {label}
          </Button>
        );
      })}
      <Popover opened={isOpen} onChange={custom.toggle} trapFocus returnFocus position="bottom-start">
        <Popover.Target>
          <Button
            size="xs"
            px="xs"
            variant={isCustom ? 'filled' : 'default'}
            aria-pressed={isCustom}
            onClick={custom.toggle}
          >
            {words.entries.custom}
          </Button>
        </Popover.Target>
        <Popover.Dropdown maw="100vw">
          <CustomPeriod
            period={boundsOf(period, Date.now())}
            apply={(chosen) => {
              custom.close();
              setPeriod(chosen);
            }}
          />
        </Popover.Dropdown>
      </Popover>
    </Button.Group>
  );
}

function CustomPeriod({ period, apply }: { period: Period; apply: (period: Period) => void }) {
  const [bounds, setBounds] = useState(period);
  const [isRefused, setIsRefused] = useState(false);
  return (
    <Stack
      component="form"
      gap="xs"
      onSubmit={submits(() => (isInverted(bounds) ? setIsRefused(true) : apply(bounds)))}
    >
      <Group gap="xs" align="flex-start">
        {(['from', 'to'] as const).map((bound) => (
          <TextInput
            key={bound}
            size="xs"
            type="datetime-local"
            label={words.entries[bound]}
            value={toLocal(bounds[bound])}
            aria-invalid={isRefused}
            onChange={(event) => {
              setIsRefused(false);
              setBounds({ ...bounds, [bound]: fromLocal(event.currentTarget.value) });
            }}
          />
        ))}
      </Group>
      {isRefused && (
        <Text size="xs" role="alert" c="var(--mantine-color-error)">
          {words.entries.inverted}
        </Text>
      )}
      <Group gap="xs">
        <SubmitButton size="xs">{words.entries.apply}</SubmitButton>
        <SmallButton onClick={() => apply({ from: undefined, to: undefined })}>
          {words.entries.clearPeriod}
        </SmallButton>
      </Group>
    </Stack>
  );
}
