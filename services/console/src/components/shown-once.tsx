import { Alert, Group, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { words } from '../words/en.ts';
import { CopyText } from './copy-text.tsx';

interface Props {
  title: string;
  /** Names the secret. */
  label: string;
  secret: string;
  onClose: () => void;
  children?: ReactNode;
}

/** A new secret, which the API shows only once, with what one does with it. */
export function ShownOnce({ title, label, secret, onClose, children }: Props) {
  return (
    <Alert
      {...{ title, onClose }}
      color="teal"
      styles={{ body: { minWidth: 0 } }}
      role="status"
      withCloseButton
      closeButtonLabel={words.common.close}
    >
      {words.common.shownOnce}
      <Group my="xs" align="flex-end">
        <TextInput
          label={label}
          readOnly
          value={secret}
          onFocus={(event) => event.currentTarget.select()}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          flex={1}
        />
        <CopyText text={secret} label={words.common.copyOf(label)} />
      </Group>
      {children}
    </Alert>
  );
}
