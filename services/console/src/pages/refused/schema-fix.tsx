import { Stack, Text, Title } from '@mantine/core';
import { client, dataOf } from '../../api/client.ts';
import { type RefusedGroup, reasonOf } from '../../api/refused.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { startReplay } from './replays.tsx';
import type { SchemaFix } from './suggest.ts';
import type { Conforming } from './use-conforming.ts';

interface Props {
  group: RefusedGroup;
  fix: SchemaFix;
  /** Undefined while it is not known. */
  conforming: Conforming | undefined;
  error: Error | null;
  onStarted: (replayId: string) => void;
}

/** What the uploads of a group do, in words. Only at the root does each of them have the object that lacks a property. */
const ruleOf = ({ path, keyword, property }: RefusedGroup): string[] => {
  const isMissing = path === '' && keyword === 'required' && property !== undefined;
  return isMissing ? words.refused.lack(property) : words.refused.breakRule;
};

/** Publishes a change of the schema that lets the group in, then replays the group. */
export function SchemaFixButton({ group, fix, conforming, error, onStarted }: Props) {
  const { domain, template } = useApplication();
  async function mend() {
    const body = { schema: fix.schema, note: fix.label, if_version: template.version };
    await dataOf(client.POST('/api/applications/{domain}/schemas', { params: { path: { domain } }, body }));
    onStarted(await startReplay(domain, reasonOf(group)));
  }
  return (
    <Stack gap="xs">
      <Title order={4}>{conforming?.isUsual ? words.refused.mostConform : words.refused.schemaFix}</Title>
      {error && <ErrorAlert error={error} />}
      {conforming && <Text>{words.refused.breaking(conforming, ruleOf(group))}</Text>}
      {conforming?.isUsual && <Text>{words.refused.lookFirst}</Text>}
      <ConfirmButton
        title={fix.label}
        label={fix.label}
        confirm={words.refused.publishAndReplay}
        question={words.refused.fixQuestion(template.version + 1, group.kept)}
        variant={conforming && !conforming.isUsual ? 'filled' : 'default'}
        act={mend}
      />
    </Stack>
  );
}
