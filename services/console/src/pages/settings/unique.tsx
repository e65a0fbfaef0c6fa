import { Button, Group, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, dataOf, read } from '../../api/client.ts';
import { faultAt } from '../../api/failure.ts';
import { SubmitButton } from '../../components/buttons.tsx';
import { submits } from '../../components/form.tsx';
import { Section } from '../../components/section.tsx';
import { isOver, type ListedJob } from '../../jobs/jobs.ts';
import { words } from '../../words/en.ts';
import { useApplication, useUpdate } from '../application/use-application.ts';
import { DaysInput } from './days-input.tsx';

const refreshMs = 1_000;

/** Counts what would have been repeated, and says so once it is known. */
function useCheck() {
  const { domain } = useApplication();
  const params = { path: { domain }, query: { dry_run: 'true' as const } };
  const { data, error, mutate } = useMutation({
    mutationFn: (path: string) =>
      dataOf<ListedJob>(client.POST('/api/applications/{domain}/unique', { params, body: { path } })),
  });
  const id = data?.id ?? '';
  const { data: job } = useQuery({
    ...read('/api/applications/{domain}/unique/{id}', { path: { domain, id } }),
    enabled: id !== '',
    refetchInterval: ({ state }) => (state.data && isOver(state.data) ? false : refreshMs),
  });
  const { checked, repeated, conflicting } = (job?.result ?? {}) as Partial<Record<string, number>>;
  const isKnown = job?.state === 'completed';
  return {
    check: mutate,
    error,
    said: isKnown
      ? words.settings.uniqueCount(checked ?? 0, repeated ?? 0, conflicting ?? 0)
      : (job?.error ?? (id === '' ? undefined : words.common.loading)),
  };
}

/** Names the member of which one entry is stored for each value. */
export function Unique() {
  const { unique } = useApplication();
  const [path, setPath] = useState(unique?.path ?? '');
  const [days, setDays] = useState<number | string>(unique?.days ?? '');
  const { error, isPending, mutate } = useMutation({ mutationFn: useUpdate() });
  const { check, error: unchecked, said } = useCheck();
  const wanted = { path, ...(days !== '' && { days: Number(days) }) };
  const fault = error ?? unchecked;
  return (
    <Section isSettings title={words.settings.unique} text={words.settings.uniqueText}>
      <Group
        component="form"
        onSubmit={submits(() => mutate({ unique: path === '' ? null : wanted }))}
        align="flex-end"
      >
        <TextInput
          label={words.settings.uniquePath}
          placeholder="/event_id"
          maxLength={250}
          value={path}
          onChange={(event) => setPath(event.currentTarget.value)}
          error={faultAt(fault, '/unique') ?? fault?.message}
        />
        <DaysInput label={words.settings.uniqueDays} value={days} onChange={setDays} />
        <Button variant="default" disabled={path === ''} onClick={() => check(path)}>
          {words.settings.uniqueCheck}
        </Button>
        <SubmitButton variant="default" loading={isPending}>
          {words.settings.saveUnique}
        </SubmitButton>
      </Group>
      {said !== undefined && <Text role="status">{said}</Text>}
    </Section>
  );
}
