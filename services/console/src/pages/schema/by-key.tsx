import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { read, type Schemas } from '../../api/client.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';

/** A line for each ingest key of which something would be refused. */
export function ByKey({ counts }: { counts: Schemas['KeyRefusals'][] }) {
  const { domain } = useApplication();
  // Readers may not list keys: they see the ids.
  const { data: keys = [] } = useQuery(read('/api/applications/{domain}/keys', { path: { domain } }));
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  return (
    <Stack component="ul" gap={4} p={0} m={0} style={{ listStyle: 'none' }}>
      {counts
        .filter(({ refused }) => refused > 0)
        .map(({ key, ...count }) => (
          <Text component="li" key={key}>
            {words.schema.refusedOfKey(key === null ? undefined : (names.get(key) ?? key), count)}
          </Text>
        ))}
    </Stack>
  );
}
