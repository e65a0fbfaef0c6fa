import { Text } from '@mantine/core';
import { client, dataOf } from '../../api/client.ts';
import { type RefusedGroup, reasonOf } from '../../api/refused.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { Outcome } from './outcome.tsx';
import { startReplay } from './replays.tsx';
import type { SchemaFix } from './suggest.ts';
import { useRehearsal } from './use-rehearsal.ts';

interface Props {
  group: RefusedGroup;
  fix: SchemaFix;
  isPrimary: boolean;
  onStarted: (replayId: string) => void;
}

/** Publishes a change of the schema that lets the group in, then replays the group. */
export function SchemaMend({ group, fix, isPrimary, onStarted }: Props) {
  const { domain, template } = useApplication();
  const rehearsal = useRehearsal(group, { schema: fix.schema });
  async function mend() {
    const body = { schema: fix.schema, note: fix.label, if_version: template.version };
    await dataOf(client.POST('/api/applications/{domain}/schemas', { params: { path: { domain } }, body }));
    onStarted(await startReplay(domain, reasonOf(group)));
  }
  return (
    <>
      <Outcome query={rehearsal} kept={group.kept} />
      <Text>{fix.effect}</Text>
      <ConfirmButton
        title={fix.label}
        label={fix.label}
        confirm={words.refused.publishAndReplay}
        question={words.refused.fixQuestion(template.version + 1, group.kept)}
        variant={isPrimary ? 'filled' : 'default'}
        act={mend}
      />
    </>
  );
}
