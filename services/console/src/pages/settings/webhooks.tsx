import { Alert, Badge, Code, Drawer, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import receiverJs from '../../../../../examples/webhooks/receiver.mjs?raw';
import receiverPy from '../../../../../examples/webhooks/receiver.py?raw';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { webhooksQuery } from '../../api/webhooks.ts';
import { ActButton, SmallButton } from '../../components/buttons.tsx';
import { Card, CardList } from '../../components/cards.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { MadeBy } from '../../components/made-by.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Section } from '../../components/section.tsx';
import { ShownOnce } from '../../components/shown-once.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { Deliveries } from './deliveries.tsx';
import { type WebhookDraft, WebhookForm } from './webhook-form.tsx';

const receivers = { 'Node.js': receiverJs, Python: receiverPy };
type OnIssued = (issued: Schemas['IssuedWebhook']) => void;

const colors = { active: 'teal', paused: 'gray', disabled: 'red' };

export function Webhooks() {
  const [issued, setIssued] = useState<Schemas['IssuedWebhook']>();
  const { domain } = useApplication();
  const webhooks = useQuery(webhooksQuery(domain));
  const create = (body: WebhookDraft) => {
    const params = { path: { domain } };
    return dataOf(client.POST('/api/applications/{domain}/webhooks', { params, body })).then(setIssued);
  };
  return (
    <Section isSettings title={words.webhooks.title} text={words.webhooks.text}>
      {issued && (
        <ShownOnce
          title={words.webhooks.issued}
          label={words.webhooks.secret}
          secret={issued.secret}
          onClose={() => setIssued(undefined)}
        >
          {Object.entries(receivers).map(([language, code]) => (
            <details key={language}>
              <summary>{words.webhooks.receiver(language)}</summary>
              <CodeBlock code={code} label={language} />
            </details>
          ))}
        </ShownOnce>
      )}
      <details key={issued?.id}>
        <summary>{words.webhooks.create}</summary>
        <WebhookForm label={words.webhooks.submit} save={create} />
      </details>
      <CardList query={webhooks}>
        {(webhook) => <WebhookCard key={webhook.id} webhook={webhook} onIssued={setIssued} />}
      </CardList>
    </Section>
  );
}

function WebhookCard({ webhook, onIssued }: { webhook: Schemas['Webhook']; onIssued: OnIssued }) {
  const { id, url, events, state, reason, next_try_at, createdAt, createdBy } = webhook;
  const { domain } = useApplication();
  const [isOpen, log] = useDisclosure();
  const [isEdited, edit] = useDisclosure();
  const request = { params: { path: { domain, id } } };
  const path = '/api/applications/{domain}/webhooks/{id}';
  const next = state === 'active' ? 'paused' : 'active';
  const change = (body: Schemas['WebhookUpdate']) => dataOf(client.PATCH(path, { ...request, body }));
  const ping = () => dataOf(client.POST(`${path}/ping`, request)).then(log.open);
  const rotate = () => dataOf(client.POST(`${path}/rotate`, request)).then(onIssued);
  const named = (label: string) => ({ 'aria-label': words.webhooks.of(label, url), children: label });
  return (
    <Card
      actions={
        <>
          <ActButton act={() => change({ state: next })} {...named(words.webhooks.set[next])} />
          <ActButton act={ping} {...named(words.webhooks.ping)} />
          <SmallButton onClick={log.open} {...named(words.webhooks.log)} />
          <SmallButton onClick={edit.toggle} {...named(words.webhooks.edit)} />
          <ConfirmButton
            label={words.common.rotate}
            title={words.webhooks.of(words.common.rotate, url)}
            question={words.webhooks.rotateText}
            act={rotate}
          />
          <ConfirmButton
            label={words.common.delete}
            title={words.webhooks.of(words.common.delete, url)}
            question={words.webhooks.deleteText}
            color="red"
            act={() => dataOf(client.DELETE(path, request))}
          />
        </>
      }
      below={
        <>
          {state === 'disabled' && (
            <Alert color="red" title={reason} mt="xs" p="xs">
              {words.webhooks.gaveUp}
            </Alert>
          )}
          {isEdited && (
            <WebhookForm
              fields={webhook}
              label={words.webhooks.save}
              save={(fields) => change(fields).then(edit.close)}
            />
          )}
          <Drawer opened={isOpen} onClose={log.close} position="right" size="xl" title={url}>
            <Deliveries id={id} />
          </Drawer>
        </>
      }
    >
      <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
        {url}
      </Text>
      <Badge color={colors[state]} variant="dot" size="sm" tt="none">
        {words.webhooks.states[state]}
      </Badge>
      {next_try_at && (
        <Badge color="orange" variant="dot" size="sm" tt="none">
          {words.webhooks.failing} <RelativeTime at={next_try_at} isAhead />
        </Badge>
      )}
      {events.map((event) => (
        <Code key={event}>{event}</Code>
      ))}
      <MadeBy at={createdAt} by={createdBy} />
    </Card>
  );
}
