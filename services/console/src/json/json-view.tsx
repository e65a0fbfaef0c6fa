import { Decoration, EditorView, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { jsonView, readOnly } from './extensions.ts';
import { placeOfPointer } from './place.ts';

interface Props {
  text: string;
  /** What it is, for screen readers. */
  label: string;
  /** JSON Pointer to what is marked. */
  marked?: string;
}

const line = Decoration.line({ class: 'cm-marked' });

function markOf(text: string, pointer: string) {
  const start = text.lastIndexOf('\n', placeOfPointer(text, pointer).from - 1) + 1;
  return EditorView.decorations.of(Decoration.set(line.range(start)));
}

/** JSON that cannot be changed, with a line marked. */
export function JsonView({ text, label, marked }: Props) {
  const parent = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const doc = text.replaceAll('\r', '');
    const mark = marked === undefined ? [] : markOf(doc, marked);
    const view = new EditorView({
      doc,
      extensions: [jsonView(label), readOnly, lineNumbers(), mark],
      parent: parent.current as HTMLElement,
    });
    return () => view.destroy();
  }, [text, label, marked]);
  return <div ref={parent} />;
}
