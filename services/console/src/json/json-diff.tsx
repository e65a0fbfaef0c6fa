import { unifiedMergeView } from '@codemirror/merge';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { jsonView, readOnly } from './extensions.ts';

interface Props {
  before: string;
  after: string;
  /** What is compared, for screen readers. */
  label: string;
}

/** How one JSON text became another: what went is above what came. */
export function JsonDiff({ before, after, label }: Props) {
  const parent = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const merge = unifiedMergeView({
      original: before,
      mergeControls: false,
      collapseUnchanged: { margin: 2, minSize: 4 },
    });
    const view = new EditorView({
      doc: after,
      extensions: [jsonView(label), readOnly, merge],
      parent: parent.current as HTMLElement,
    });
    return () => view.destroy();
  }, [before, after, label]);
  return <div ref={parent} />;
}
