import { Group, NumberInput } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { words } from '../../words/en.ts';

interface SilenceProps {
  silence: number;
  description?: string | undefined;
  error?: string | undefined;
}

/** The field `silence` of a form: minutes. */
export const SilenceInput = ({ silence, ...shown }: SilenceProps) => (
  <NumberInput
    name="silence"
    label={words.webhooks.silence}
    defaultValue={silence}
    min={1}
    max={43_200}
    {...shown}
  />
);

/** The fields `count` and `minutes` of a form. */
export const ThresholdInputs = ({ refusals }: Pick<Schemas['Webhook'], 'refusals'>) => (
  <Group>
    <NumberInput
      name="count"
      label={words.webhooks.count}
      defaultValue={refusals?.count ?? 10}
      min={1}
      max={1_000_000}
    />
    <NumberInput
      name="minutes"
      label={words.webhooks.minutes}
      defaultValue={refusals?.minutes ?? 5}
      min={1}
      max={1_440}
    />
  </Group>
);
