import { Group, Text, TextInput } from '@mantine/core';
import { Choice } from '../../components/choice.tsx';
import { words } from '../../words/en.ts';
import type { FixChange } from './fix.ts';

interface Props {
  change: FixChange;
  onChange: (change: FixChange) => void;
}

/** What a change does, with what only people can choose. */
export function ChangeChoice({ change, onChange }: Props) {
  const { to, path } = change;
  return (
    <Group gap="xs" align="end">
      <Text>{words.refused.steps[to](path.slice(1), change)}</Text>
      <ChangeValues change={change} onChange={onChange} />
    </Group>
  );
}

/** The inputs of a kind of change, besides its place. */
export function ChangeValues({ change, onChange }: Props) {
  const { to, value, decimal, order, unit } = change;
  const say = words.refused;
  const set = (some: Partial<FixChange>) => onChange({ ...change, ...some });
  switch (to) {
    case 'date':
      return (
        <Choice label={say.order} labels={say.orders} value={order} onChoice={(order) => set({ order })} />
      );
    case 'written':
      return (
        <>
          <Choice
            label={say.decimal}
            labels={say.decimals}
            value={decimal}
            onChoice={(decimal) => set({ decimal })}
          />
          <TextInput
            label={say.unit}
            value={unit}
            w="6rem"
            onChange={({ currentTarget }) => set({ unit: currentTarget.value })}
          />
        </>
      );
    case 'divide':
      return (
        <Choice
          label={say.divisor}
          labels={say.divisors}
          value={value as keyof typeof say.divisors & string}
          onChoice={(value) => set({ value: String(value) })}
        />
      );
    case 'default':
    case 'replace':
      return (
        <TextInput
          label={say.defaultValue}
          value={value}
          onChange={({ currentTarget }) => set({ value: currentTarget.value })}
        />
      );
    default:
      return null;
  }
}
