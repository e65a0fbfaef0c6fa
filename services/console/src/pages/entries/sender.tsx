import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/client.ts';
import { words } from '../../words/en.ts';
import { useApplication, useMay } from '../application/use-application.ts';
import type { Entry } from './entries-query.ts';

/** How an entry came, and who sent it. Only editors may read the names of keys. */
export function Sender({ entry: { source = 'upload', key, by } }: { entry: Entry }) {
  const { domain } = useApplication();
  const mayRead = useMay('editor');
  const keys = useQuery({
    ...read('/api/applications/{domain}/keys', { path: { domain } }),
    enabled: mayRead && key !== undefined,
  });
  const name = keys.data?.find(({ id }) => id === key)?.name ?? key;
  const isJob = source === 'import' || source === 'replay';
  const parts = [
    words.entries.sources[source],
    name && words.entries.withKey(name),
    by && (isJob ? words.entries.ofJob(by) : words.entries.ofUser(by)),
  ];
  return <Text mb="sm">{parts.filter(Boolean).join(' · ')}</Text>;
}
