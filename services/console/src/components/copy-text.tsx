import { Button, type ButtonProps } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { words } from '../words/en.ts';

/** A button that copies a text. `label` names the text for screen readers. */
export function CopyText({ text, label, ...button }: { text: string; label: string } & ButtonProps) {
  const clipboard = useClipboard();
  return (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={label}
      onClick={() => clipboard.copy(text)}
      {...button}
    >
      {clipboard.copied ? words.common.copied : words.common.copy}
    </Button>
  );
}
