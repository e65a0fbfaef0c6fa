import { Box } from '@mantine/core';
import { words } from '../words/en.ts';
import { CopyText } from './copy-text.tsx';
import { tokenize } from './highlight.ts';

/** Code with its parts in colours, which the keyboard can scroll, and a button that copies it. */
export function CodeBlock({ code, label = words.common.code }: { code: string; label?: string }) {
  return (
    <Box pos="relative">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach the code to scroll it */}
      <pre className="code-block" tabIndex={0}>
        {tokenize(code).map(({ kind, text }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: tokens have no other name
          <span key={index} className={`token-${kind}`}>
            {text}
          </span>
        ))}
      </pre>
      <Box pos="absolute" top={6} right={6}>
        <CopyText text={code} label={words.common.copyOf(label)} />
      </Box>
    </Box>
  );
}
