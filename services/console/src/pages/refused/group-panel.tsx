import { Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { client, dataOf } from '../../api/client.ts';
import type { RefusedGroup } from '../../api/refused.ts';
import { SmallButton } from '../../components/buttons.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { showFailure, showSuccess } from '../../components/toasts.ts';
import { toText } from '../../json/exact.ts';
import { JsonView } from '../../json/json-view.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { FixForm } from './fix-form.tsx';
import { StartedReplay } from './replays.tsx';
import { SchemaFixButton } from './schema-fix.tsx';
import { suggestSchema } from './suggest.ts';
import { UploadsDrawer } from './uploads-drawer.tsx';

interface Props {
  group: RefusedGroup;
  /** The group needs nothing more. */
  onDone: () => void;
}

export function GroupPanel({ group, onDone }: Props) {
  const { path, keyword, kept, dismissed, example } = group;
  const { domain, template } = useApplication();
  const [replay, setReplay] = useState<string>();
  const [areUploadsOpen, { open, close }] = useDisclosure();
  const place = { path: { domain } };
  const remove = useMutation({
    mutationFn: () => {
      const params = { ...place, query: { path, keyword } };
      return dataOf(client.DELETE('/api/applications/{domain}/refused', { params }));
    },
    onSuccess: ({ message }) => showSuccess(message),
    onError: showFailure,
  });
  const dismiss = useMutation({
    mutationFn: () => {
      const body = { path, keyword, dismissed: !dismissed };
      return dataOf(client.PATCH('/api/applications/{domain}/refused/groups', { params: place, body }));
    },
    onSuccess: onDone,
    onError: showFailure,
  });
  const fix = kept > 0 ? suggestSchema(group, template.raw_schema) : undefined;
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
          <SmallButton loading={dismiss.isPending} onClick={() => dismiss.mutate()}>
            {dismissed ? words.refused.reopen : words.refused.dismiss}
          </SmallButton>
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
      {replay && <StartedReplay id={replay} />}
      {fix && <SchemaFixButton group={group} fix={fix} onStarted={setReplay} />}
      {kept > 0 && (
        <details open={!fix}>
          <summary>{words.refused.changePayloads}</summary>
          <FixForm group={group} onStarted={setReplay} />
        </details>
      )}
      <Group gap="xs">
        <Text size="sm">{words.refused.changeSchemaText}</Text>
        <SmallButton component={Link} to={`/applications/${domain}/schema?rehearse=refused`}>
          {words.refused.toSchema}
        </SmallButton>
      </Group>
    </Stack>
  );
}
