import { Stack, Text, Title } from '@mantine/core';
import { client, dataOf } from '../../api/client.ts';
import { type RefusedGroup, reasonOf } from '../../api/refused.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { startReplay } from './replays.tsx';
import type { SchemaFix } from './suggest.ts';

interface Props {
  group: RefusedGroup;
  fix: SchemaFix;
  onStarted: (replayId: string) => void;
}

/** Publishes the likely change of the schema, then replays the group. */
export function SchemaFixButton({ group, fix, onStarted }: Props) {
  const { domain, template } = useApplication();
  async function mend() {
    const body = { schema: fix.schema, note: fix.label, if_version: template.version };
    await dataOf(client.POST('/api/applications/{domain}/schemas', { params: { path: { domain } }, body }));
    onStarted(await startReplay(domain, reasonOf(group)));
  }
  return (
    <Stack gap="xs">
      <Title order={4}>{words.refused.likely}</Title>
      <Text>{words.refused.likelyText}</Text>
      <ConfirmButton
        title={fix.label}
        label={fix.label}
        confirm={words.refused.publishAndReplay}
        question={words.refused.fixQuestion(template.version + 1, group.kept)}
        variant="filled"
        act={mend}
      />
    </Stack>
  );
}
