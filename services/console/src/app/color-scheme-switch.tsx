import { type MantineColorScheme, NativeSelect, useMantineColorScheme } from '@mantine/core';
import { words } from '../words/en.ts';

const choices = [
  { value: 'auto', label: words.layout.auto },
  { value: 'light', label: words.layout.light },
  { value: 'dark', label: words.layout.dark },
];

/** Light, dark, or what the system says. The choice is kept in the browser. */
export function ColorSchemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <NativeSelect
      size="xs"
      w={72}
      aria-label={words.layout.colorScheme}
      data={choices}
      value={colorScheme}
      onChange={({ currentTarget }) => setColorScheme(currentTarget.value as MantineColorScheme)}
    />
  );
}
