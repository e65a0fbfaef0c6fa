import { Stack, Text } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { words } from '../../words/en.ts';
import { useKeyNames } from '../application/use-key-names.ts';

/** A line for each ingest key of which something would be refused. */
export function ByKey({ counts }: { counts: Schemas['KeyRefusals'][] }) {
  const nameOf = useKeyNames();
  return (
    <Stack component="ul" gap={4} p={0} m={0} style={{ listStyle: 'none' }}>
      {counts
        .filter(({ refused }) => refused > 0)
        .map(({ key, ...count }) => (
          <Text component="li" key={key}>
            {words.schema.refusedOfKey(key === null ? undefined : nameOf(key), count)}
          </Text>
        ))}
    </Stack>
  );
}
