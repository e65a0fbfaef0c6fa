import { Group, NumberInput, Stack, TagsInput, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { applicationQuery } from '../../api/applications.ts';
import { client, dataOf } from '../../api/client.ts';
import { faultAt } from '../../api/failure.ts';
import { queryClient } from '../../api/query-client.ts';
import { SubmitButton } from '../../components/buttons.tsx';
import { ConfirmDialog } from '../../components/confirm-button.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { Section } from '../../components/section.tsx';
import { submits } from '../../components/submits.ts';
import { showSuccess } from '../../components/toasts.ts';
import { words } from '../../words/en.ts';
import { useApplication, useUpdate } from '../application/use-application.ts';
import { Keys } from './keys.tsx';

export function Page() {
  return (
    <Stack gap="xl">
      <Keys />
      <Origins />
      <Retention />
      <Deletion />
    </Stack>
  );
}

function Origins() {
  const { allowed_origins } = useApplication();
  const [origins, setOrigins] = useState(allowed_origins);
  const update = useUpdate();
  return (
    <Section title={words.settings.origins} text={words.settings.originsText}>
      <form onSubmit={submits(() => update.mutate({ allowed_origins: origins }))}>
        <TagsInput
          label={words.settings.allowedOrigins}
          placeholder="https://example.com"
          value={origins}
          onChange={setOrigins}
          acceptValueOnBlur
        />
        {update.error && <ErrorAlert error={update.error} />}
        <SubmitButton mt="sm" loading={update.isPending}>
          {words.settings.saveOrigins}
        </SubmitButton>
      </form>
    </Section>
  );
}

function Retention() {
  const { retention_days } = useApplication();
  const [days, setDays] = useState<number | string>(retention_days ?? '');
  const [isAsked, asking] = useDisclosure();
  const update = useUpdate();
  const { error } = update;
  const wanted = days === '' ? null : Number(days);
  const isShorter = wanted !== null && wanted >= 1 && wanted < (retention_days ?? Number.POSITIVE_INFINITY);
  const save = () => update.mutate({ retention_days: wanted });
  return (
    <Section title={words.settings.retention} text={words.settings.retentionText}>
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
      <ConfirmDialog
        title={words.settings.retention}
        opened={isAsked}
        close={asking.close}
        label={words.settings.saveAndDelete}
        question={words.settings.retentionQuestion(String(days))}
        color="red"
        onConfirm={save}
      />
    </Section>
  );
}

/** Deletes the application once its domain is typed. */
function Deletion() {
  const { domain } = useApplication();
  const [typed, setTyped] = useState('');
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => dataOf(client.DELETE('/api/applications/{domain}', { params: { path: { domain } } })),
    onSuccess: async ({ message }) => {
      await navigate('/applications');
      showSuccess(message);
      queryClient.removeQueries({ queryKey: applicationQuery(domain).queryKey });
    },
  });
  return (
    <Section title={words.settings.deletion} text={words.settings.deletionText}>
      <Group component="form" onSubmit={submits(() => remove.mutate())} align="flex-end">
        <TextInput
          label={words.settings.typeDomain(domain)}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
        />
        <SubmitButton color="red" disabled={typed !== domain} loading={remove.isPending}>
          {words.settings.deleteApplication}
        </SubmitButton>
      </Group>
      {remove.error && <ErrorAlert error={remove.error} />}
    </Section>
  );
}
