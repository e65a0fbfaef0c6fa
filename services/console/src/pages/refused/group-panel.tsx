import { Badge, Group, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { client, dataOf } from '../../api/client.ts';
import { type RefusedGroup, reasonOf } from '../../api/refused.ts';
import { ActButton, SmallButton } from '../../components/buttons.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { toText } from '../../json/exact.ts';
import { JsonView } from '../../json/json-view.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { GroupValues } from './group-values.tsx';
import { Mends } from './mends.tsx';
import { StartedReplay } from './replays.tsx';
import { UploadsDrawer } from './uploads-drawer.tsx';

interface Props {
  group: RefusedGroup;
  /** The group needs nothing more. */
  onDone: () => void;
}

/** All of a group: what came, who sent it, and what mends it. */
export function GroupPanel({ group, onDone }: Props) {
  const { reason, path, kept, example } = group;
  const [replay, setReplay] = useState<string>();
  const isLost = reason === 'not_json' || reason === 'too_large';
  return (
    <Stack gap="md" component="section" aria-label={words.refused.group}>
      <Head group={group} />
      {kept > 0 && <GroupValues group={group} />}
      {replay && <StartedReplay id={replay} />}
      {reason !== 'schema' && <Text>{words.refused.noReplay}</Text>}
      {kept > 0 && reason === 'schema' && <Mends group={group} onStarted={setReplay} />}
      {kept > 0 && <Actions group={group} onDone={onDone} />}
      {example === undefined ? (
        <Text>{words.refused.noneKept}</Text>
      ) : (
        <JsonView text={toText(example)} label={words.refused.example} marked={isLost ? '' : path} />
      )}
    </Stack>
  );
}

function Head({ group: { reason, path, message, count, kept, first_at, last_at } }: { group: RefusedGroup }) {
  const isLost = reason === 'not_json' || reason === 'too_large';
  return (
    <Stack gap={2}>
      <Group gap="xs">
        {reason !== 'schema' && <Badge variant="light">{words.refused.reasons[reason]}</Badge>}
        <Title order={2}>{`${isLost ? '' : path} ${message}`}</Title>
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

function Actions({ group, onDone }: Props) {
  const { kept, dismissed } = group;
  const { domain } = useApplication();
  const [areUploadsOpen, { open, close }] = useDisclosure();
  const place = { path: { domain } };
  async function remove() {
    const params = { ...place, query: reasonOf(group) };
    showSuccess((await dataOf(client.DELETE('/api/applications/{domain}/refused', { params }))).message);
  }
  async function dismiss() {
    const body = { ...reasonOf(group), dismissed: !dismissed };
    await dataOf(client.PATCH('/api/applications/{domain}/refused/groups', { params: place, body }));
    onDone();
  }
  return (
    <Group gap="xs">
      <SmallButton onClick={open}>{words.refused.showUploads}</SmallButton>
      <ActButton act={dismiss} title={words.refused.dismissText}>
        {dismissed ? words.refused.reopen : words.refused.dismiss}
      </ActButton>
      <ConfirmButton
        label={words.common.remove}
        title={words.refused.removeGroup}
        question={words.refused.removeText}
        color="red"
        count={kept}
        act={remove}
      />
      <UploadsDrawer group={group} opened={areUploadsOpen} onClose={close} />
    </Group>
  );
}
