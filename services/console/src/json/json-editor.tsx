import {
  autocompletion,
  type CompletionSource,
  closeBrackets,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { setDiagnostics } from '@codemirror/lint';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useEffectEvent, useRef } from 'react';
import { jsonView } from './json-view.tsx';
import type { Range } from './place.ts';

export interface Problem extends Range {
  message: string;
  severity: 'error' | 'warning';
}

interface Props {
  value: string;
  onChange: (value: string) => void;
  /** For screen readers. */
  label: string;
  /** Each is marked at its place in the value. */
  problems?: Problem[];
  complete: CompletionSource;
}

const none: Problem[] = [];

/** Types over several lines. A browser alone would copy styles, which the policy of the page refuses. */
const typeOverLines = EditorView.domEventHandlers({
  beforeinput({ inputType, data }, view) {
    const { state } = view;
    const { from, to } = state.selection.main;
    if (inputType !== 'insertText' || data === null || state.doc.lineAt(from).to >= to) return false;
    view.dispatch(state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    return true;
  },
});

/** An editor of JSON. The Tab key leaves it, like any field. */
export function JsonEditor({ value, onChange, label, problems = none, complete }: Props) {
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const change = useEffectEvent(onChange);
  const initial = useEffectEvent(() => value);

  useEffect(() => {
    const made = new EditorView({
      doc: initial(),
      extensions: [
        jsonView(label),
        lineNumbers(),
        history(),
        closeBrackets(),
        typeOverLines,
        autocompletion({ override: [complete] }),
        keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
        EditorView.updateListener.of(({ docChanged, state }) => docChanged && change(state.doc.toString())),
      ],
      parent: parent.current as HTMLElement,
    });
    view.current = made;
    return () => made.destroy();
  }, [label, complete]);

  useEffect(() => {
    const made = view.current as EditorView;
    const { doc } = made.state;
    if (doc.toString() !== value) made.dispatch({ changes: { from: 0, to: doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    const made = view.current as EditorView;
    made.dispatch(setDiagnostics(made.state, problems));
  }, [problems]);

  return <div ref={parent} />;
}
