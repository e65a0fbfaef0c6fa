import { Text } from '@mantine/core';
import { words } from '../../words/en.ts';
import { useKeyNames } from '../application/use-key-names.ts';
import type { Entry } from './entries-query.ts';

/** How an entry came, and who sent it. */
export function Sender({ entry: { source = 'upload', key, by } }: { entry: Entry }) {
  const nameOf = useKeyNames({ isNeeded: key !== undefined });
  const name = key && nameOf(key);
  const isJob = source === 'import' || source === 'replay';
  const parts = [
    words.entries.sources[source],
    name && words.entries.withKey(name),
    by && (isJob ? words.entries.ofJob(by) : words.entries.ofUser(by)),
  ];
  return <Text mb="sm">{parts.filter(Boolean).join(' · ')}</Text>;
}
