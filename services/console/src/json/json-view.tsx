import { json } from '@codemirror/lang-json';
import { unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { Decoration, EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { editorView } from '../editor/editor-view.ts';
import { placeOfPointer } from './place.ts';

const jsonView = (label: string): Extension => [json(), editorView(label)];

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
