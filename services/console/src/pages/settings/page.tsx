import { Code, Group, TagsInput, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { applicationQuery } from '../../api/applications.ts';
import { client, dataOf } from '../../api/client.ts';
import { faultAt } from '../../api/failure.ts';
import { queryClient } from '../../api/query-client.ts';
import { SubmitButton } from '../../components/buttons.tsx';
import { CopyText } from '../../components/copy-text.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { submits } from '../../components/submits.ts';
import { showSuccess } from '../../components/toasts.ts';
import { words } from '../../words/en.ts';
import { useApplication, useMay, useUpdate } from '../application/use-application.ts';
import { Keys } from './keys.tsx';
import { Members } from './members.tsx';
import { Retention } from './retention.tsx';
import { SettingsSection } from './settings-section.tsx';
import { Webhooks } from './webhooks.tsx';

export function Page() {
  const [isOwner, isEditor] = [useMay('owner'), useMay('editor')];
  return (
    <>
      {isEditor && <General />}
      <Members />
      {isEditor && <Keys />}
      {isEditor && <Webhooks />}
      {isEditor && <Origins />}
      {isOwner && <Retention />}
      {isOwner && <Deletion />}
    </>
  );
}

/** The name, and the domain under which clients upload. */
function General() {
  const { name, domain } = useApplication();
  const [typed, setTyped] = useState(name);
  const update = useUpdate();
  return (
    <SettingsSection title={words.settings.general} text={words.settings.generalText}>
      <Group component="form" onSubmit={submits(() => update.mutate({ name: typed }))} align="flex-end">
        <TextInput
          label={words.settings.name}
          required
          maxLength={100}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          error={faultAt(update.error, '/name') ?? update.error?.message}
        />
        <SubmitButton loading={update.isPending} disabled={typed === name}>
          {words.settings.rename}
        </SubmitButton>
      </Group>
      <Group gap="xs">
        <Text size="sm">{words.applications.domain}</Text>
        <Code>{domain}</Code>
        <CopyText text={domain} label={words.settings.copyDomain} />
      </Group>
    </SettingsSection>
  );
}

function Origins() {
  const { allowed_origins } = useApplication();
  const [origins, setOrigins] = useState(allowed_origins);
  const update = useUpdate();
  return (
    <SettingsSection title={words.settings.origins} text={words.settings.originsText}>
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
    </SettingsSection>
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
    <SettingsSection title={words.settings.deletion} text={words.settings.deletionText}>
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
    </SettingsSection>
  );
}
