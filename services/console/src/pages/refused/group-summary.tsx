import { Code, Group, Stack, Text } from '@mantine/core';
import { formatNumber } from '../../components/formats.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { words } from '../../words/en.ts';
import type { RefusedGroup } from './refused.ts';

/** A reason with its counts. */
export function GroupSummary({
  group: { path, message, count, kept, first_at, last_at },
}: {
  group: RefusedGroup;
}) {
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <Code>{path || '/'}</Code>
        <Text fw={600}>{message}</Text>
      </Group>
      <Group gap="md" fz="sm">
        <span>{words.refused.count(formatNumber(count))}</span>
        <span>{words.refused.kept(formatNumber(kept))}</span>
        <span>
          {words.refused.first} <RelativeTime at={first_at} />
        </span>
        <span>
          {words.refused.last} <RelativeTime at={last_at} />
        </span>
      </Group>
    </Stack>
  );
}
