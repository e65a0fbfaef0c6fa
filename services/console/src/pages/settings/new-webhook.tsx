import { Checkbox, Group, NumberInput, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client, dataOf, type Schemas } from '../../api/client.ts';
import { faultAt } from '../../api/failure.ts';
import { SubmitButton } from '../../components/buttons.tsx';
import { choicesOf } from '../../components/choices.ts';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { submits } from '../../components/submits.ts';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';

export type OnIssued = (issued: Schemas['IssuedWebhook']) => void;

export function NewWebhook({ onIssued }: { onIssued: OnIssued }) {
  const params = { path: { domain: useApplication().domain } };
  const [events, setEvents] = useState<Schemas['WebhookEvent'][]>(['entries.stored']);
  const hasThreshold = events.includes('refusals.threshold');
  const create = useMutation({
    mutationFn: (fields: FormData) => {
      const refusals = { count: Number(fields.get('count')), minutes: Number(fields.get('minutes')) };
      const body = { url: String(fields.get('url')), events, ...(hasThreshold && { refusals }) };
      return dataOf(client.POST('/api/applications/{domain}/webhooks', { params, body }));
    },
    onSuccess: onIssued,
  });
  const atUrl = faultAt(create.error, '/url');
  return (
    <Stack component="form" mt="sm" onSubmit={submits(create.mutate)}>
      <TextInput
        name="url"
        label={words.webhooks.url}
        placeholder="https://example.com/hooks/sluice"
        required
        error={atUrl}
      />
      <Checkbox.Group label={words.webhooks.events} value={events} onChange={setEvents}>
        <Stack my={4} gap="xs">
          {choicesOf(words.webhooks.eventNames).map((event) => (
            <Checkbox key={event.value} {...event} />
          ))}
        </Stack>
      </Checkbox.Group>
      {hasThreshold && (
        <Group>
          <NumberInput name="count" label={words.webhooks.count} defaultValue={10} min={1} max={1_000_000} />
          <NumberInput name="minutes" label={words.webhooks.minutes} defaultValue={5} min={1} max={1_440} />
        </Group>
      )}
      {create.error && !atUrl && <ErrorAlert error={create.error} />}
      <Group>
        <SubmitButton loading={create.isPending}>{words.webhooks.submit}</SubmitButton>
      </Group>
    </Stack>
  );
}
