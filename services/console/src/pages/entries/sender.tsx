import { Text } from '@mantine/core';
import { words } from '../../words/en.ts';
import type { Entry } from './entries-query.ts';
import { useKeyName } from './use-key-name.ts';

/** How an entry came, and who sent it. */
export function Sender({ entry: { source = 'upload', key, by } }: { entry: Entry }) {
  const name = useKeyName(key);
  const isJob = source === 'import' || source === 'replay';
  const parts = [
    words.entries.sources[source],
    name && words.entries.withKey(name),
    by && (isJob ? words.entries.ofJob(by) : words.entries.ofUser(by)),
  ];
  return <Text mb="sm">{parts.filter(Boolean).join(' · ')}</Text>;
}
