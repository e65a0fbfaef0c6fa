import { createTheme } from '@mantine/core';

/** Colours and shapes of the console. */
export const theme = createTheme({
  primaryColor: 'cyan',
  // White text on a lighter shade would be hard to read.
  primaryShade: 9,
  defaultRadius: 'sm',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  focusRing: 'auto',
});
