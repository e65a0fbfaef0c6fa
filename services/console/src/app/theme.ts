import {
  Button,
  Checkbox,
  type CSSVariablesResolver,
  createTheme,
  Drawer,
  Input,
  Menu,
  Modal,
  Popover,
  Text,
} from '@mantine/core';
import { words } from '../words/en.ts';

const dialog = {
  // Only the page has a banner.
  attributes: { header: { role: 'presentation' } },
  closeButtonProps: { 'aria-label': words.common.close },
  // The lock would add a style without the nonce of the page.
  lockScroll: false,
};

/** What opens over a page belongs to its landmark. */
const inContent = { portalProps: { target: '#content' } };

export const theme = createTheme({
  primaryColor: 'cyan',
  // Light text is hard to read on a lighter shade.
  primaryShade: 9,
  autoContrast: true,
  defaultRadius: 'sm',
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  // One scale for all text. Pages use no other sizes.
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.25rem', lineHeight: '1.4' },
      h2: { fontSize: '1rem', lineHeight: '1.5' },
      h3: { fontSize: '0.875rem', lineHeight: '1.5' },
      h4: { fontSize: '0.875rem', lineHeight: '1.5' },
      h5: { fontSize: '0.8125rem', lineHeight: '1.5' },
    },
  },
  respectReducedMotion: true,
  components: {
    Button: Button.extend({ defaultProps: { size: 'xs' } }),
    Checkbox: Checkbox.extend({
      defaultProps: { size: 'xs' },
      styles: { label: { fontSize: 'var(--mantine-font-size-sm)' } },
    }),
    Drawer: Drawer.extend({ defaultProps: dialog }),
    Modal: Modal.extend({ defaultProps: dialog }),
    Menu: Menu.extend({ defaultProps: inContent }),
    Popover: Popover.extend({ defaultProps: inContent }),
    Text: Text.extend({ defaultProps: { size: 'sm' } }),
    Input: Input.extend({
      defaultProps: { size: 'xs' },
      vars: () => ({ wrapper: { '--input-fz': 'var(--mantine-font-size-sm)' } }),
    }),
  },
});

const hover = {
  '--mantine-color-cyan-filled-hover': 'color-mix(in srgb, var(--mantine-color-cyan-9), black 20%)',
};

/** Text in Mantine's own shades has too little contrast; see `app.css` too. */
export const cssVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    ...hover,
    ...Object.fromEntries(
      Object.keys(colors).map((name) => [
        `--mantine-color-${name}-light-color`,
        `color-mix(in srgb, var(--mantine-color-${name}-9), black 30%)`,
      ]),
    ),
  },
  dark: {
    ...hover,
    // A full shade behind much text would outshine the page.
    ...Object.fromEntries(
      Object.keys(colors).map((name) => [
        `--mantine-color-${name}-light`,
        `color-mix(in srgb, var(--mantine-color-${name}-6) 18%, var(--mantine-color-body))`,
      ]),
    ),
    // Of Mantine's own, all are nearly white, so that red says nothing.
    ...Object.fromEntries(
      Object.keys(colors)
        .filter((name) => name !== 'gray' && name !== 'dark')
        .map((name) => [`--mantine-color-${name}-light-color`, `var(--mantine-color-${name}-4)`]),
    ),
  },
});
