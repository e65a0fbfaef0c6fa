import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { toText } from '../../json/exact.ts';
import { JsonDiff } from '../../json/json-view.tsx';
import { words } from '../../words/en.ts';

type Pair = Schemas['ReplayPair'];

function faultIn({ error }: Pair): string {
  const first = error?.details?.[0];
  return first ? `${first.path} ${first.message}` : (error?.message ?? '');
}

/** The first uploads of a replay, before and after the changes. */
export function Pairs({ pairs }: { pairs: Pair[] }) {
  return (
    <Stack gap="sm" role="region" aria-label={words.refused.tried}>
      <Title order={4}>{words.refused.triedOf(pairs.length)}</Title>
      {pairs.map((pair, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pairs have no ids, and their order stays
        <Stack key={place} gap={4}>
          <Group gap="xs">
            <Badge variant="dot" color={pair.ok ? 'teal' : 'red'}>
              {pair.ok ? words.refused.conforms : words.refused.stillRefused}
            </Badge>
            <Text>{faultIn(pair)}</Text>
          </Group>
          <JsonDiff
            before={toText(pair.before)}
            after={toText(pair.after)}
            label={words.refused.beforeAfter(place + 1)}
          />
        </Stack>
      ))}
    </Stack>
  );
}
