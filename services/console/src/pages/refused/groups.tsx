import { Accordion, Badge, Code, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { type GroupState, type RefusedGroup, reasonOf, stateOf } from '../../api/refused.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { words } from '../../words/en.ts';
import { GroupPanel } from './group-panel.tsx';

/** It becomes part of ids of elements, which have no spaces. */
const keyOf = (group: RefusedGroup) => encodeURIComponent(JSON.stringify(reasonOf(group)));

/** Groups that are open, then those that are done, folded. */
export function Groups({ groups }: { groups: RefusedGroup[] }) {
  // A group that was just mended stays where it is while it is open on the page.
  const [open, setOpen] = useState<string | null>(null);
  const [held, setHeld] = useState<{ key: string; state: GroupState }>();
  const placeOf = (group: RefusedGroup) => (held?.key === keyOf(group) ? held.state : stateOf(group));
  const of = (state: GroupState) => groups.filter((group) => placeOf(group) === state);
  const choose = (key: string | null) => {
    const group = groups.find((each) => keyOf(each) === key);
    setHeld(group && { key: keyOf(group), state: stateOf(group) });
    setOpen(key);
  };
  const list = (state: GroupState) => (
    <Accordion variant="separated" order={3} value={open} onChange={choose}>
      {of(state).map((group) => (
        <Accordion.Item key={keyOf(group)} value={keyOf(group)}>
          <Accordion.Control>
            <GroupSummary group={group} />
          </Accordion.Control>
          <Accordion.Panel>
            {open === keyOf(group) && <GroupPanel group={group} onDone={() => choose(null)} />}
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
  const folded = (state: 'resolved' | 'dismissed') =>
    of(state).length > 0 && (
      <details key={state}>
        <summary>{words.refused[state](of(state).length)}</summary>
        {list(state)}
      </details>
    );
  return (
    <Section title={words.refused.open}>
      {of('open').length === 0 ? <Text>{words.refused.noneOpen}</Text> : list('open')}
      {folded('dismissed')}
      {folded('resolved')}
    </Section>
  );
}

function GroupSummary({ group }: { group: RefusedGroup }) {
  const { reason, path, message, count, kept, first_at, last_at } = group;
  const isLost = reason === 'not_json' || reason === 'too_large';
  return (
    <Stack gap={4}>
      <Group gap="xs">
        {reason !== 'schema' && <Badge variant="light">{words.refused.reasons[reason]}</Badge>}
        {!isLost && <Code>{path || '/'}</Code>}
        <Text fw={600}>{message}</Text>
      </Group>
      <Group gap="0 1rem" fz="sm">
        <span>{words.refused[isLost ? 'lost' : 'count'](count, kept)}</span>
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
