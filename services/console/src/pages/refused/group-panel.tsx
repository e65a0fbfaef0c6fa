import { Group, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { SmallButton } from '../../components/buttons.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { showFailure, showSuccess } from '../../components/toasts.ts';
import { toText } from '../../json/exact.ts';
import { JsonView } from '../../json/json-view.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { FixForm } from './fix-form.tsx';
import { StartedReplay } from './replays.tsx';
import { UploadsDrawer } from './uploads-drawer.tsx';

export function GroupPanel({ group }: { group: Schemas['RefusedGroup'] }) {
  const { path, keyword, kept, example } = group;
  const { domain } = useApplication();
  const params = { path: { domain }, query: { path, keyword } };
  const [replay, setReplay] = useState<string>();
  const [areUploadsOpen, { open, close }] = useDisclosure();
  const remove = useMutation({
    mutationFn: () => dataOf(client.DELETE('/api/applications/{domain}/refused', { params })),
    onSuccess: ({ message }) => showSuccess(message),
    onError: showFailure,
  });
  return (
    <Stack gap="md">
      {example === undefined ? (
        <Text size="sm">{words.refused.noneKept}</Text>
      ) : (
        <JsonView text={toText(example)} label={words.refused.example} marked={path} />
      )}
      {kept > 0 && (
        <Group gap="xs">
          <SmallButton onClick={open}>{words.refused.showUploads}</SmallButton>
          <ConfirmButton
            label={words.refused.remove}
            title={words.refused.removeGroup}
            question={words.refused.removeText}
            color="red"
            onConfirm={() => remove.mutate()}
          />
        </Group>
      )}
      <UploadsDrawer group={group} opened={areUploadsOpen} onClose={close} />
      <Stack gap="xs">
        <Title order={4}>{words.refused.changeSchema}</Title>
        <Text size="sm">{words.refused.changeSchemaText}</Text>
        <Group>
          <SmallButton component={Link} to={`/applications/${domain}/schema?rehearse=refused`}>
            {words.refused.toSchema}
          </SmallButton>
        </Group>
      </Stack>
      {kept > 0 && <FixForm group={group} onStarted={setReplay} />}
      {replay && <StartedReplay id={replay} />}
    </Stack>
  );
}
