import { Badge, Code, Group, Stack, Text, Title } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { toText, valueAt } from '../../json/exact.ts';
import { JsonDiff } from '../../json/json-view.tsx';
import { words } from '../../words/en.ts';

type Pair = Schemas['ReplayPair'];

function faultIn({ error }: Pair): string {
  const first = error?.details?.[0];
  return first ? `${first.path} ${first.message}` : (error?.message ?? '');
}

const mostPreviewed = 3;

const shown = (payload: unknown, pointer: string) => {
  const value = valueAt(payload, pointer);
  return value === undefined ? words.refused.missing : (JSON.stringify(value) ?? '');
};

/** What becomes of the values at a place, of the first uploads that conform then. */
export function Preview({ pairs, pointer }: { pairs: Pair[]; pointer: string }) {
  const changes = pairs
    .filter(({ ok }) => ok)
    .map(({ before, after }) => ({ from: shown(before, pointer), to: shown(after, pointer) }))
    .filter(({ from, to }) => from !== to);
  const distinct = new Map(changes.map((change) => [change.from, change]));
  return [...distinct.values()].slice(0, mostPreviewed).map(({ from, to }) => (
    <Text key={from} truncate>
      <Code>{from}</Code> → <Code>{to}</Code>
    </Text>
  ));
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
