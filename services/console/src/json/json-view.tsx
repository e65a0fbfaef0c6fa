import { json } from '@codemirror/lang-json';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { Decoration, EditorView, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { styleNonce } from '../app/nonce.ts';
import { placeOfPointer } from './place.ts';

// Contrast of at least 4.5 with the background of either scheme, also on a marked line.
const colors = HighlightStyle.define([
  { tag: tags.propertyName, color: 'light-dark(#0b5884, #8cc8f5)' },
  { tag: tags.string, color: 'light-dark(#1f5c2a, #93d69f)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'light-dark(#8a2f00, #f5b183)' },
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

export const jsonView = (label: string): Extension => [
  json(),
  syntaxHighlighting(colors),
  theme,
  EditorView.lineWrapping,
  EditorView.cspNonce.of(styleNonce()),
  // The Tab key must reach the text, so that keys can scroll it.
  EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
];

const readOnly: Extension = [
  EditorState.readOnly.of(true),
  EditorView.contentAttributes.of({ 'aria-readonly': 'true', contenteditable: 'false' }),
];

const markedLine = Decoration.line({ class: 'cm-marked' });

function markOf(text: string, pointer: string): Extension {
  const start = text.lastIndexOf('\n', placeOfPointer(text, pointer).from - 1) + 1;
  return EditorView.decorations.of(Decoration.set(markedLine.range(start)));
}

interface ViewProps {
  text: string;
  label: string;
  marked: string;
}

/** JSON that cannot be changed, with a line marked. */
export function JsonView({ text, label, marked }: ViewProps) {
  const parent = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const doc = text.replaceAll('\r', '');
    const extensions = [jsonView(label), readOnly, lineNumbers(), markOf(doc, marked)];
    const view = new EditorView({ doc, extensions, parent: parent.current as HTMLElement });
    return () => view.destroy();
  }, [text, label, marked]);
  return <div ref={parent} />;
}

interface DiffProps {
  before: string;
  after: string;
  label: string;
}

/** The changes between two JSON texts: removed lines are above added ones. */
export function JsonDiff({ before, after, label }: DiffProps) {
  const parent = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const merge = unifiedMergeView({
      original: before,
      mergeControls: false,
      collapseUnchanged: { margin: 2, minSize: 4 },
    });
    const extensions = [jsonView(label), readOnly, merge];
    const view = new EditorView({ doc: after, extensions, parent: parent.current as HTMLElement });
    return () => view.destroy();
  }, [before, after, label]);
  return <div ref={parent} />;
}
