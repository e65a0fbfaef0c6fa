import { createTheme } from '@mantine/core';

/** Colours and shapes of the console. */
export const theme = createTheme({
  primaryColor: 'cyan',
  // Light text on a lighter shade would be hard to read.
  primaryShade: { light: 9, dark: 8 },
  autoContrast: true,
  defaultRadius: 'sm',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  focusRing: 'auto',
});
