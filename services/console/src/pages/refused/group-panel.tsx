import { Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { Link } from 'react-router';
import { client, dataOf } from '../../api/client.ts';
import { type RefusedGroup, reasonOf } from '../../api/refused.ts';
import { ActButton, SmallButton } from '../../components/buttons.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { toText } from '../../json/exact.ts';
import { JsonView } from '../../json/json-view.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { FixForm } from './fix-form.tsx';
import { StartedReplay } from './replays.tsx';
import { SchemaFixButton } from './schema-fix.tsx';
import { suggestSchema } from './suggest.ts';
import { UploadsDrawer } from './uploads-drawer.tsx';
import { useConforming } from './use-conforming.ts';

interface Props {
  group: RefusedGroup;
  /** The group needs nothing more. */
  onDone: () => void;
}

export function GroupPanel({ group, onDone }: Props) {
  const { path, kept, dismissed, example } = group;
  const { domain, template } = useApplication();
  const [replay, setReplay] = useState<string>();
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
  const canReplay = group.reason === 'schema';
  const fix = kept > 0 && canReplay ? suggestSchema(group, template.raw_schema) : undefined;
  const { conforming, error } = useConforming(group, fix !== undefined);
  return (
    <Stack gap="md">
      {example === undefined ? (
        <Text>{words.refused.noneKept}</Text>
      ) : (
        <JsonView text={toText(example)} label={words.refused.example} marked={path} />
      )}
      {kept > 0 && (
        <Group gap="xs">
          <SmallButton variant={conforming?.isUsual ? 'filled' : 'default'} onClick={open}>
            {words.refused.showUploads}
          </SmallButton>
          <ActButton act={dismiss}>{dismissed ? words.refused.reopen : words.refused.dismiss}</ActButton>
          <ConfirmButton
            label={words.common.remove}
            title={words.refused.removeGroup}
            question={words.refused.removeText}
            color="red"
            count={kept}
            act={remove}
          />
        </Group>
      )}
      <UploadsDrawer group={group} opened={areUploadsOpen} onClose={close} />
      {replay && <StartedReplay id={replay} />}
      {fix && <SchemaFixButton {...{ group, fix, conforming, error }} onStarted={setReplay} />}
      {!canReplay && <Text>{words.refused.noReplay}</Text>}
      {kept > 0 && canReplay && (
        <details open={!fix || conforming?.isUsual}>
          <summary>{words.refused.changePayloads}</summary>
          <FixForm group={group} onStarted={setReplay} />
        </details>
      )}
      {canReplay && (
        <Group gap="xs">
          <Text>{words.refused.changeSchemaText}</Text>
          <SmallButton component={Link} to={`/applications/${domain}/schema?rehearse=refused`}>
            {words.refused.toSchema}
          </SmallButton>
        </Group>
      )}
    </Stack>
  );
}
