import { Group, Text } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { read, type Schemas } from '../../api/client.ts';
import { faultAt } from '../../api/failure.ts';
import { SubmitButton } from '../../components/buttons.tsx';
import { Choice } from '../../components/choice.tsx';
import { ConfirmDialog } from '../../components/confirm-button.tsx';
import { submits } from '../../components/form.tsx';
import { formatTime } from '../../components/formats.ts';
import { Section } from '../../components/section.tsx';
import { countDeletion } from '../../jobs/count-deletion.ts';
import { words } from '../../words/en.ts';
import { useApplication, useUpdate } from '../application/use-application.ts';
import { placeOf } from '../archive/read-lines.ts';
import { DaysInput } from './days-input.tsx';

const dayMs = 86_400_000;
const typingMs = 400;

/** How many entries are older than these days; undefined while it is not known. */
function useOlder(days: number | undefined): { older?: number | undefined; uncounted?: Error | null } {
  const { domain } = useApplication();
  const [settled] = useDebouncedValue(days, typingMs);
  const { data, error } = useQuery({
    queryKey: ['older', domain, settled],
    queryFn: () => {
      const to = new Date(Date.now() - (settled ?? 0) * dayMs).toISOString();
      return countDeletion(domain, { to });
    },
    enabled: settled !== undefined,
  });
  return days === settled ? { older: data, uncounted: error } : {};
}

/** The archives into which old entries can go, by id; empty: they are deleted. Undefined while they are not known. */
function useTargets(): Record<string, string> | undefined {
  const { domain, archive } = useApplication();
  const { data } = useQuery(read('/api/applications/{domain}/archives', { path: { domain } }));
  const isFit = ({ id, format, from }: Schemas['Archive']) =>
    id === archive || (format === 'ndjson' && from === 'beginning');
  const named = data
    ?.filter(isFit)
    .map((one) => [one.id, words.settings.olderTo.archive(one.name ?? placeOf(one, domain))]);
  return named && { '': words.settings.olderTo.nowhere, ...Object.fromEntries(named) };
}

/** Asks before entries go, and says how many. */
export function Retention() {
  const { retention_days, archive, archived_before } = useApplication();
  const [days, setDays] = useState<number | string>(retention_days ?? '');
  const [target, setTarget] = useState(archive ?? '');
  const targets = useTargets();
  const [isAsked, asking] = useDisclosure();
  const { error, isPending, mutate } = useMutation({ mutationFn: useUpdate() });
  const wanted = days === '' ? null : Number(days);
  const before = target === '' && archive ? Number.POSITIVE_INFINITY : retention_days;
  const isShorter = wanted !== null && wanted >= 1 && wanted < (before ?? Number.POSITIVE_INFINITY);
  const { older, uncounted } = useOlder(isShorter ? wanted : undefined);
  const save = () =>
    mutate({ retention_days: wanted, ...(target !== (archive ?? '') && { archive: target || null }) });
  const said = target === '' ? words.settings.whenDeleted : words.settings.whenArchived;
  const faultOfArchive = faultAt(error, '/archive');
  return (
    <Section isSettings title={words.settings.retention} text={said.text}>
      <Group component="form" onSubmit={submits(isShorter ? asking.open : save)} align="flex-end">
        <DaysInput
          label={words.settings.retentionDays}
          value={days}
          onChange={setDays}
          error={faultAt(error, '/retention_days') ?? (faultOfArchive ? undefined : error?.message)}
        />
        {targets && Object.keys(targets).length > 1 && (
          <Choice
            label={words.settings.older}
            labels={targets}
            value={target}
            onChoice={setTarget}
            disabled={archived_before !== undefined}
            error={faultOfArchive}
          />
        )}
        <SubmitButton variant="default" loading={isPending}>
          {words.settings.saveRetention}
        </SubmitButton>
      </Group>
      {archived_before !== undefined && (
        <Text>{words.settings.inArchiveAlone(formatTime(archived_before))}</Text>
      )}
      {older !== undefined && <Text role="status">{said.count(older)}</Text>}
      <ConfirmDialog
        title={words.settings.retention}
        opened={isAsked}
        close={asking.close}
        label={said.save}
        question={
          older === undefined
            ? (uncounted?.message ?? words.common.loading)
            : said.question(String(days), older)
        }
        color={target === '' ? 'red' : undefined}
        count={target === '' ? older : undefined}
        onConfirm={older === undefined ? undefined : save}
      />
    </Section>
  );
}
