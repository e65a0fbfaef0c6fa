import { Alert, Text } from '@mantine/core';
import { SmallButton } from '../../components/buttons.tsx';
import { words } from '../../words/en.ts';

/** Says which filters of the address cannot be read, so that nobody takes what is shown for what they select. */
export function UnreadFilters({ unread, remove }: { unread: string[]; remove?: () => void }) {
  if (unread.length === 0) return null;
  return (
    <Alert color="red" role="alert" my="xs" p="xs" title={words.entries.unread}>
      <Text ff="monospace" style={{ overflowWrap: 'anywhere' }}>
        {unread.map((written) => `filter=${written}`).join(' ')}
      </Text>
      <Text>{words.entries.unreadText}</Text>
      {remove && (
        <SmallButton mt="xs" size="compact-sm" onClick={remove}>
          {words.entries.removeUnread}
        </SmallButton>
      )}
    </Alert>
  );
}
