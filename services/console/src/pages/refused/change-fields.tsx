import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { words } from '../../words/en.ts';
import { type Change, conversions } from './fix.ts';

interface Props {
  change: Change;
  /** From 1, for screen readers. */
  number: number;
  fault: string | undefined;
  onChange: (change: Change) => void;
  onRemove: () => void;
}

const choices = conversions.map((value) => ({ value, label: words.refused.conversions[value] }));

/** One change of the payloads: where, and to what. */
export function ChangeFields({ change, number, fault, onChange, onRemove }: Props) {
  return (
    <Group align="start" gap="xs">
      <TextInput
        label={words.refused.changeAt}
        placeholder="/celsius"
        value={change.path}
        onChange={({ currentTarget }) => onChange({ ...change, path: currentTarget.value })}
        error={fault}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
      <NativeSelect
        label={words.refused.changeTo}
        data={choices}
        value={change.to}
        onChange={({ currentTarget }) => onChange({ ...change, to: currentTarget.value as Change['to'] })}
      />
      {change.to === 'default' && (
        <TextInput
          label={words.refused.defaultValue}
          value={change.value}
          onChange={({ currentTarget }) => onChange({ ...change, value: currentTarget.value })}
        />
      )}
      <Button
        variant="subtle"
        color="red"
        mt={{ base: 0, xs: 25 }}
        onClick={onRemove}
        aria-label={words.refused.removeChange(number)}
      >
        {words.refused.remove}
      </Button>
    </Group>
  );
}
