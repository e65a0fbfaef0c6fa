import { Badge, Code, Group, Stack, Text } from '@mantine/core';
import { words } from '../../words/en.ts';
import type { SchemaChange } from './schemas.ts';

const colors: Record<SchemaChange['kind'], string> = {
  stricter: 'orange',
  looser: 'teal',
  added: 'blue',
  removed: 'gray',
  changed: 'violet',
};

/** What a schema changes for uploads. */
export function ChangeList({ changes }: { changes: SchemaChange[] }) {
  if (changes.length === 0) return <Text size="sm">{words.schema.noChanges}</Text>;
  return (
    <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
      {changes.map(({ path, kind, message }) => (
        <Group component="li" key={`${path} ${kind} ${message}`} gap="xs">
          <Badge color={colors[kind]} variant="dot">
            {words.schema.kinds[kind]}
          </Badge>
          <Code>{path || '/'}</Code>
          <Text size="sm">{message}</Text>
        </Group>
      ))}
    </Stack>
  );
}
