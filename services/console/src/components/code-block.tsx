import { words } from '../words/en.ts';
import { CopyText } from './copy-text.tsx';
import { tokenize } from './highlight.ts';

/** Code with its parts in colours, which the keyboard can scroll, and a button that copies it. */
export function CodeBlock({ code, label = words.common.code }: { code: string; label?: string }) {
  return (
    <div className="code-block">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach the code to scroll it */}
      <pre tabIndex={0}>
        {tokenize(code).map(({ kind, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no other name
          <span key={index} className={`token-${kind}`}>
            {text}
          </span>
        ))}
      </pre>
      <CopyText text={code} label={words.common.copyOf(label)} />
    </div>
  );
}
