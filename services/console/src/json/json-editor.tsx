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
import { jsonView } from './extensions.ts';
import type { Range } from './place.ts';

export interface Problem extends Range {
  message: string;
  severity: 'error' | 'warning';
}

interface Props {
  value: string;
  onChange: (value: string) => void;
  /** What it is, for screen readers. */
  label: string;
  /** Of the value as it is; they are shown at their places. */
  problems?: Problem[];
  complete: CompletionSource;
}

const none: Problem[] = [];

/** An editor of JSON. Tab leaves it, as it leaves a field. */
export function JsonEditor({ value, onChange, label, problems = none, complete }: Props) {
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const tell = useEffectEvent(onChange);
  const initial = useEffectEvent(() => value);

  useEffect(() => {
    const made = new EditorView({
      doc: initial(),
      extensions: [
        jsonView(label),
        lineNumbers(),
        history(),
        closeBrackets(),
        autocompletion({ override: [complete] }),
        keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
        EditorView.updateListener.of(({ docChanged, state }) => docChanged && tell(state.doc.toString())),
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
