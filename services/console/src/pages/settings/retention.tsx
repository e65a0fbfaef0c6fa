import { Group, NumberInput, Text } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { faultAt } from '../../api/failure.ts';
import { SubmitButton } from '../../components/buttons.tsx';
import { ConfirmDialog } from '../../components/confirm-button.tsx';
import { submits } from '../../components/submits.ts';
import { words } from '../../words/en.ts';
import { useApplication, useUpdate } from '../application/use-application.ts';
import { SettingsSection } from './settings-section.tsx';

const dayMs = 86_400_000;
const typingMs = 400;

/** How many entries are older than these days; undefined while it is not known. */
function useOlder(days: number | undefined): number | undefined {
  const { domain } = useApplication();
  const [settled] = useDebouncedValue(days, typingMs);
  const { data } = useQuery({
    queryKey: ['older', domain, settled],
    queryFn: async () => {
      const to = new Date(Date.now() - (settled ?? 0) * dayMs).toISOString();
      const params = { path: { domain }, query: { dry_run: true } };
      const answer = await dataOf<Schemas['Job'] | { count: number }>(
        client.POST('/api/applications/{domain}/deletions', { params, body: { to } }),
      );
      return 'count' in answer ? answer.count : undefined;
    },
    enabled: settled !== undefined,
  });
  return days === settled ? data : undefined;
}

/** Asks before entries are deleted, and says how many. */
export function Retention() {
  const { retention_days } = useApplication();
  const [days, setDays] = useState<number | string>(retention_days ?? '');
  const [isAsked, asking] = useDisclosure();
  const update = useUpdate();
  const { error } = update;
  const wanted = days === '' ? null : Number(days);
  const isShorter = wanted !== null && wanted >= 1 && wanted < (retention_days ?? Number.POSITIVE_INFINITY);
  const older = useOlder(isShorter ? wanted : undefined);
  const save = () => update.mutate({ retention_days: wanted });
  return (
    <SettingsSection title={words.settings.retention} text={words.settings.retentionText}>
      <Group component="form" onSubmit={submits(isShorter ? asking.open : save)} align="flex-end">
        <NumberInput
          label={words.settings.retentionDays}
          placeholder={words.settings.forEver}
          min={1}
          max={3_650}
          clampBehavior="none"
          allowDecimal={false}
          value={days}
          onChange={setDays}
          error={faultAt(error, '/retention_days') ?? error?.message}
        />
        <SubmitButton loading={update.isPending}>{words.settings.saveRetention}</SubmitButton>
      </Group>
      {older !== undefined && (
        <Text size="sm" role="status">
          {words.settings.older(older)}
        </Text>
      )}
      <ConfirmDialog
        title={words.settings.retention}
        opened={isAsked}
        close={asking.close}
        label={words.settings.saveAndDelete}
        question={words.settings.retentionQuestion(String(days), older)}
        color="red"
        onConfirm={save}
      />
    </SettingsSection>
  );
}
