import { Code, Group, TagsInput, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { applicationQuery } from '../../api/applications.ts';
import { client, dataOf } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { CopyText } from '../../components/copy-text.tsx';
import { Form } from '../../components/form.tsx';
import { Section } from '../../components/section.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { words } from '../../words/en.ts';
import { useApplication, useMay, useUpdate } from '../application/use-application.ts';
import { Alerts } from './alerts.tsx';
import { Keys } from './keys.tsx';
import { Members } from './members.tsx';
import { Retention } from './retention.tsx';
import { Unique } from './unique.tsx';
import { Webhooks } from './webhooks.tsx';

export function Page() {
  const [isOwner, isEditor] = [useMay('owner'), useMay('editor')];
  return (
    <>
      {isEditor && <General />}
      <Members />
      <Alerts />
      {isEditor && <Keys />}
      {isEditor && <Webhooks />}
      {isEditor && <Origins />}
      {isOwner && <Unique />}
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
    <Section isSettings title={words.settings.general} text={words.settings.generalText}>
      <Form
        act={() => update({ name: typed })}
        submit={words.settings.rename}
        disabled={typed === name}
        isInline
      >
        {(fault) => (
          <TextInput
            label={words.settings.name}
            required
            maxLength={100}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            error={fault('/name') ?? fault()}
          />
        )}
      </Form>
      <Group gap="xs">
        <Text>{words.applications.domain}</Text>
        <Code>{domain}</Code>
        <CopyText text={domain} label={words.settings.copyDomain} />
      </Group>
    </Section>
  );
}

function Origins() {
  const { allowed_origins } = useApplication();
  const [origins, setOrigins] = useState(allowed_origins);
  const update = useUpdate();
  return (
    <Section isSettings title={words.settings.origins} text={words.settings.originsText}>
      <Form
        act={() => update({ allowed_origins: origins })}
        submit={words.settings.saveOrigins}
        variant="default"
        gap="sm"
      >
        <TagsInput
          label={words.settings.allowedOrigins}
          placeholder="https://example.com"
          value={origins}
          onChange={setOrigins}
          acceptValueOnBlur
        />
      </Form>
    </Section>
  );
}

/** Deletes the application once its domain is typed. */
function Deletion() {
  const { domain } = useApplication();
  const [typed, setTyped] = useState('');
  const navigate = useNavigate();
  async function remove() {
    const request = { params: { path: { domain } } };
    const { message } = await dataOf(client.DELETE('/api/applications/{domain}', request));
    await navigate('/applications');
    showSuccess(message);
    queryClient.removeQueries({ queryKey: applicationQuery(domain).queryKey });
  }
  return (
    <Section isSettings title={words.settings.deletion} text={words.settings.deletionText}>
      <Form
        act={remove}
        submit={words.settings.deleteApplication}
        color="red"
        disabled={typed !== domain}
        isInline
      >
        <TextInput
          label={words.common.typeToConfirm(domain)}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
        />
      </Form>
    </Section>
  );
}
