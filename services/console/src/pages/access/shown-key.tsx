import { Alert, Group, TextInput } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { CopyText } from '../../components/copy-text.tsx';
import { words } from '../../words/en.ts';

/** A key that was just issued, which the API tells only once. */
export function ShownKey({ issued, onClose }: { issued: Schemas['IssuedKey']; onClose: () => void }) {
  return (
    <Alert
      color="teal"
      role="status"
      title={words.access.keyIssued(issued.name)}
      withCloseButton
      closeButtonLabel={words.common.close}
      onClose={onClose}
      w="100%"
    >
      {words.access.keyOnce}
      <Group mt="xs" align="flex-end">
        <TextInput
          label={words.access.key}
          readOnly
          value={issued.key}
          onFocus={(event) => event.currentTarget.select()}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          flex={1}
        />
        <CopyText text={issued.key} label={words.access.copyKey} />
      </Group>
    </Alert>
  );
}
