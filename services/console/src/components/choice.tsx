import { NativeSelect, type NativeSelectProps } from '@mantine/core';

export const choicesOf = <K extends string>(labels: Record<K, string>) =>
  Object.entries<string>(labels).map(([value, label]) => ({ value: value as K, label }));

interface Props<K extends string> extends Omit<NativeSelectProps, 'data' | 'value' | 'onChange'> {
  /** By value. */
  labels: Record<K, string>;
  value: K;
  onChoice: (value: K) => void;
}

/** One of a few values. */
export const Choice = <K extends string>({ labels, onChoice, ...select }: Props<K>) => (
  <NativeSelect
    data={choicesOf(labels)}
    onChange={({ currentTarget }) => onChoice(currentTarget.value as K)}
    {...select}
  />
);
