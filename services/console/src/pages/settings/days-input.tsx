import { NumberInput, type NumberInputProps } from '@mantine/core';
import { words } from '../../words/en.ts';

/** A number of days; empty: without end. */
export function DaysInput(props: Pick<NumberInputProps, 'label' | 'value' | 'onChange' | 'error'>) {
  return (
    <NumberInput
      {...props}
      placeholder={words.settings.forEver}
      min={1}
      max={3_650}
      clampBehavior="none"
      allowDecimal={false}
    />
  );
}
