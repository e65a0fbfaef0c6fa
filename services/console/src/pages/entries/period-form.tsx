import { Button, Group, TextInput } from '@mantine/core';
import { words } from '../../words/en.ts';
import type { Period } from './entries-query.ts';
import { fromLocal, toLocal } from './steps.ts';

interface Props {
  period: Period;
  setPeriod: (period: Period) => void;
}

/** The period of the chart and of the table. */
export function PeriodForm({ period, setPeriod }: Props) {
  return (
    <Group align="flex-end" gap="xs">
      {(['from', 'to'] as const).map((bound) => (
        <TextInput
          key={bound}
          size="xs"
          type="datetime-local"
          label={words.entries[bound]}
          value={toLocal(period[bound])}
          onChange={(event) => setPeriod({ ...period, [bound]: fromLocal(event.currentTarget.value) })}
        />
      ))}
      {(period.from || period.to) && (
        <Button size="xs" variant="default" onClick={() => setPeriod({})}>
          {words.entries.allTime}
        </Button>
      )}
    </Group>
  );
}
