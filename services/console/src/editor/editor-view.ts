import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { styleNonce } from '../app/nonce.ts';

// Contrast of at least 4.5 with the background of either scheme, also on a marked line.
const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: 'light-dark(#0b5884, #8cc8f5)' },
  { tag: tags.string, color: 'light-dark(#1f5c2a, #93d69f)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'light-dark(#8a2f00, #f5b183)' },
  { tag: tags.keyword, color: 'light-dark(#6b2f8a, #d7aef0)' },
  { tag: tags.comment, color: 'var(--mantine-color-dimmed)' },
]);

const theme = EditorView.theme({
  '&': {
    fontSize: 'var(--mantine-font-size-sm)',
    color: 'var(--mantine-color-text)',
    backgroundColor: 'var(--mantine-color-body)',
    border: '1px solid var(--mantine-color-default-border)',
    borderRadius: 'var(--mantine-radius-default)',
  },
  '&.cm-focused': { outline: '2px solid var(--mantine-primary-color-filled)' },
  '.cm-scroller': {
    fontFamily: 'var(--mantine-font-family-monospace)',
    maxHeight: '32rem',
    overflow: 'auto',
  },
  '.cm-content': { caretColor: 'var(--mantine-color-text)' },
  '.cm-gutters': {
    color: 'var(--mantine-color-dimmed)',
    backgroundColor: 'var(--mantine-color-body)',
    borderRight: '1px solid var(--mantine-color-default-border)',
  },
  '.cm-tooltip': {
    color: 'var(--mantine-color-text)',
    backgroundColor: 'var(--mantine-color-body)',
    border: '1px solid var(--mantine-color-default-border)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--mantine-primary-color-contrast)',
    backgroundColor: 'var(--mantine-primary-color-filled)',
  },
  // Underlines would be `data:` images, which the policy of the page forbids.
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy #e03131' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy #e67700' },
  '.cm-collapsedLines': {
    color: 'var(--mantine-color-text)',
    background: 'var(--mantine-color-default-hover)',
    // Few fonts have the signs around the text.
    '&:before, &:after': { content: 'none' },
  },
  '.cm-marked': { backgroundColor: 'light-dark(#ffe3e3, #5c1f1f)' },
});

/** How all editors look. */
export const editorView = (label: string): Extension => [
  syntaxHighlighting(colors),
  theme,
  EditorView.lineWrapping,
  EditorView.cspNonce.of(styleNonce()),
  // The Tab key must reach the text, so that keys can scroll it.
  EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
];
