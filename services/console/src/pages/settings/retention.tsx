import { Group, Text } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { faultAt } from '../../api/failure.ts';
import { SubmitButton } from '../../components/buttons.tsx';
import { ConfirmDialog } from '../../components/confirm-button.tsx';
import { submits } from '../../components/form.tsx';
import { Section } from '../../components/section.tsx';
import { countDeletion } from '../../jobs/count-deletion.ts';
import { words } from '../../words/en.ts';
import { useApplication, useUpdate } from '../application/use-application.ts';
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

/** Asks before entries are deleted, and says how many. */
export function Retention() {
  const { retention_days } = useApplication();
  const [days, setDays] = useState<number | string>(retention_days ?? '');
  const [isAsked, asking] = useDisclosure();
  const { error, isPending, mutate } = useMutation({ mutationFn: useUpdate() });
  const wanted = days === '' ? null : Number(days);
  const isShorter = wanted !== null && wanted >= 1 && wanted < (retention_days ?? Number.POSITIVE_INFINITY);
  const { older, uncounted } = useOlder(isShorter ? wanted : undefined);
  const save = () => mutate({ retention_days: wanted });
  return (
    <Section isSettings title={words.settings.retention} text={words.settings.retentionText}>
      <Group component="form" onSubmit={submits(isShorter ? asking.open : save)} align="flex-end">
        <DaysInput
          label={words.settings.retentionDays}
          value={days}
          onChange={setDays}
          error={faultAt(error, '/retention_days') ?? error?.message}
        />
        <SubmitButton variant="default" loading={isPending}>
          {words.settings.saveRetention}
        </SubmitButton>
      </Group>
      {older !== undefined && <Text role="status">{words.settings.older(older)}</Text>}
      <ConfirmDialog
        title={words.settings.retention}
        opened={isAsked}
        close={asking.close}
        label={words.settings.saveAndDelete}
        question={
          older === undefined
            ? (uncounted?.message ?? words.common.loading)
            : words.settings.retentionQuestion(String(days), older)
        }
        color="red"
        count={older}
        onConfirm={older === undefined ? undefined : save}
      />
    </Section>
  );
}
