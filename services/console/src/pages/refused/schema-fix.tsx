import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { client, dataOf } from '../../api/client.ts';
import type { RefusedGroup } from '../../api/refused.ts';
import { ConfirmDialog } from '../../components/confirm-button.tsx';
import { showFailure } from '../../components/toasts.ts';
import type { Job } from '../../jobs/jobs.ts';
import { exactDataOf } from '../../json/exact.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import type { SchemaFix } from './suggest.ts';

interface Props {
  group: RefusedGroup;
  fix: SchemaFix;
  onStarted: (replayId: string) => void;
}

/** Publishes the likely change of the schema, then replays the group. */
export function SchemaFixButton({ group: { path, keyword, kept }, fix, onStarted }: Props) {
  const { domain, template } = useApplication();
  const [opened, { open, close }] = useDisclosure();
  const params = { path: { domain } };
  const mend = useMutation({
    mutationFn: async () => {
      const body = { schema: fix.schema, note: fix.label, if_version: template.version };
      await dataOf(client.POST('/api/applications/{domain}/schemas', { params, body }));
      const replay = { params, body: { path, keyword }, parseAs: 'text' } as const;
      return exactDataOf<Job>(client.POST('/api/applications/{domain}/replays', replay));
    },
    onSuccess: ({ id }) => onStarted(id),
    onError: showFailure,
  });
  return (
    <Stack gap="xs">
      <Title order={4}>{words.refused.likely}</Title>
      <Text size="sm">{words.refused.likelyText}</Text>
      <Group>
        <Button loading={mend.isPending} onClick={open}>
          {fix.label}
        </Button>
      </Group>
      <ConfirmDialog
        title={fix.label}
        label={words.refused.publishAndReplay}
        question={words.refused.fixQuestion(template.version + 1, kept)}
        onConfirm={() => mend.mutate()}
        {...{ opened, close }}
      />
    </Stack>
  );
}
