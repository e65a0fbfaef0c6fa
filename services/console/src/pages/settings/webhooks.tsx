import { Alert, Badge, Code, Drawer, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import receiverJs from '../../../../../examples/webhooks/receiver.mjs?raw';
import receiverPy from '../../../../../examples/webhooks/receiver.py?raw';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { webhooksQuery } from '../../api/webhooks.ts';
import { SmallButton } from '../../components/buttons.tsx';
import { Card, Cards } from '../../components/cards.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { Unread } from '../../components/loading.tsx';
import { ShownOnce } from '../../components/shown-once.tsx';
import { useAct } from '../../components/use-act.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { Deliveries } from './deliveries.tsx';
import { NewWebhook, type OnIssued } from './new-webhook.tsx';
import { SettingsSection } from './settings-section.tsx';

const receivers = { 'Node.js': receiverJs, Python: receiverPy };
const colors = { active: 'teal', paused: 'gray', disabled: 'red' };

export function Webhooks() {
  const [issued, setIssued] = useState<Schemas['IssuedWebhook']>();
  const { data, error, refetch } = useQuery(webhooksQuery(useApplication().domain));
  return (
    <SettingsSection title={words.webhooks.title} text={words.webhooks.text}>
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
        <NewWebhook onIssued={setIssued} />
      </details>
      {(error || !data) && <Unread error={error} retry={refetch} />}
      <Cards>
        {data?.map((webhook) => (
          <WebhookCard key={webhook.id} webhook={webhook} onIssued={setIssued} />
        ))}
      </Cards>
    </SettingsSection>
  );
}

function WebhookCard({ webhook, onIssued }: { webhook: Schemas['Webhook']; onIssued: OnIssued }) {
  const { id, url, events, state, reason } = webhook;
  const { domain } = useApplication();
  const [isOpen, log] = useDisclosure();
  const act = useAct();
  const request = { params: { path: { domain, id } } };
  const path = '/api/applications/{domain}/webhooks/{id}';
  const next = state === 'active' ? 'paused' : 'active';
  const set = () => dataOf(client.PATCH(path, { ...request, body: { state: next } }));
  const ping = () => dataOf(client.POST(`${path}/ping`, request)).then(log.open);
  const rotate = () => dataOf(client.POST(`${path}/rotate`, request)).then(onIssued);
  const buttons = [
    [words.webhooks.set[next], () => act(set)],
    [words.webhooks.ping, () => act(ping)],
    [words.webhooks.log, log.open],
  ] as const;
  return (
    <Card
      actions={
        <>
          {buttons.map(([label, onClick]) => (
            <SmallButton key={label} onClick={onClick} aria-label={words.webhooks.of(label, url)}>
              {label}
            </SmallButton>
          ))}
          <ConfirmButton
            label={words.settings.rotate}
            title={words.webhooks.of(words.settings.rotate, url)}
            question={words.webhooks.rotateText}
            onConfirm={() => act(rotate)}
          />
          <ConfirmButton
            label={words.webhooks.delete}
            title={words.webhooks.of(words.webhooks.delete, url)}
            question={words.webhooks.deleteText}
            color="red"
            onConfirm={() => act(() => dataOf(client.DELETE(path, request)))}
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
      {events.map((event) => (
        <Code key={event}>{event}</Code>
      ))}
    </Card>
  );
}
