import {
  autocompletion,
  type CompletionSource,
  closeBrackets,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { setDiagnostics } from '@codemirror/lint';
import { type Extension, Transaction } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { type RefObject, useEffect, useEffectEvent, useRef } from 'react';
import type { Range } from '../json/place.ts';
import { editorView } from './editor-view.ts';

export interface EditorProblem extends Range {
  message: string;
  severity: 'error' | 'warning';
}

interface Props {
  value: string;
  onChange: (value: string) => void;
  /** For screen readers. */
  label: string;
  /** Its highlighting. */
  language: Extension;
  /** Each is marked at its place in the value. */
  problems?: EditorProblem[];
  complete: CompletionSource;
  /** Takes the focus, with this selected, whenever another range is given. */
  selected?: Range | undefined;
  /** Ctrl+Enter, or ⌘+Enter on a Mac. */
  onRun?: () => void;
  /** Gets the editor, for insertions at the cursor. */
  editor?: RefObject<EditorView | undefined>;
  /** The page around it has the steps of undo and redo. */
  isUndoneOutside?: boolean;
}

const none: EditorProblem[] = [];

/** Types over the selection. A browser alone would copy styles, and the policy of the page refuses styles. */
const typeOver = EditorView.domEventHandlers({
  beforeinput({ inputType, data }, view) {
    const { from, to, empty } = view.state.selection.main;
    if (inputType !== 'insertText' || data === null || empty) return false;
    const type = () =>
      view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    // A quote or a bracket goes around a selection on one line.
    const isOneLine = view.state.doc.lineAt(from).to >= to;
    const takers = isOneLine ? view.state.facet(EditorView.inputHandler) : [];
    if (!takers.some((take) => take(view, from, to, data, type))) view.dispatch(type());
    return true;
  },
});

/** The smallest change between two texts: the cursor stays where nothing changes. */
function changeBetween(before: string, after: string) {
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from += 1;
  let same = 0;
  while (same < most - from && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  return { from, to: before.length - same, insert: after.slice(from, after.length - same) };
}

/** An editor of code. The Tab key leaves it, like any field. */
export function TextEditor(props: Props) {
  const { value, onChange, label, language, problems = none, complete, selected, onRun, editor } = props;
  const { isUndoneOutside = false } = props;
  const parent = useRef<HTMLDivElement>(null);
  const own = useRef<EditorView>(undefined);
  const view = editor ?? own;
  const change = useEffectEvent(onChange);
  const run = useEffectEvent(() => {
    onRun?.();
    return onRun !== undefined;
  });
  const initial = useEffectEvent(() => value);

  useEffect(() => {
    const made = new EditorView({
      doc: initial(),
      extensions: [
        editorView(label),
        language,
        lineNumbers(),
        isUndoneOutside ? [] : [history(), keymap.of(historyKeymap)],
        closeBrackets(),
        typeOver,
        autocompletion({ override: [complete] }),
        keymap.of([{ key: 'Mod-Enter', run }, ...completionKeymap, ...defaultKeymap]),
        EditorView.updateListener.of(({ docChanged, state, transactions }) => {
          const isOwn = transactions.some((each) => each.annotation(Transaction.remote));
          if (docChanged && !isOwn) change(state.doc.toString());
        }),
      ],
      parent: parent.current as HTMLElement,
    });
    view.current = made;
    return () => made.destroy();
  }, [label, language, complete, view, isUndoneOutside]);

  useEffect(() => {
    const made = view.current as EditorView;
    const text = made.state.doc.toString();
    if (text !== value) {
      const changes = changeBetween(text, value);
      made.dispatch({ changes, annotations: Transaction.remote.of(true) });
    }
  }, [value, view]);

  useEffect(() => {
    const made = view.current as EditorView;
    made.dispatch(setDiagnostics(made.state, problems));
  }, [problems, view]);

  useEffect(() => {
    const made = view.current as EditorView;
    if (!selected || selected.to > made.state.doc.length) return;
    made.dispatch({ selection: { anchor: selected.from, head: selected.to }, scrollIntoView: true });
    made.focus();
  }, [selected, view]);

  return <div ref={parent} />;
}
