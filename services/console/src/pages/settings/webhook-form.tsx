import { Checkbox, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { choicesOf } from '../../components/choice.tsx';
import { Form } from '../../components/form.tsx';
import { words } from '../../words/en.ts';
import { SilenceInput, ThresholdInputs } from './threshold-inputs.tsx';

export type WebhookDraft = Pick<Schemas['Webhook'], 'url' | 'events' | 'refusals' | 'silence'>;

interface Props {
  /** What it is now; a new one is told of entries. */
  fields?: WebhookDraft;
  label: string;
  save: (fields: WebhookDraft) => Promise<unknown>;
}

/** Where events are posted, and which. */
export function WebhookForm({ fields, label, save }: Props) {
  const [events, setEvents] = useState<Schemas['WebhookEvent'][]>(fields?.events ?? ['entries.stored']);
  const hasThreshold = events.includes('refusals.threshold');
  const hasSilence = events.includes('entries.silent');
  type Given = Record<'url' | 'count' | 'minutes' | 'silence', string>;
  const send = ({ url, count, minutes, silence }: Given) => {
    const refusals = { count: Number(count), minutes: Number(minutes) };
    return save({
      url,
      events,
      ...(hasThreshold && { refusals }),
      ...(hasSilence && { silence: Number(silence) }),
    });
  };
  return (
    <Form act={send} submit={label} mt="sm">
      {(fault) => (
        <>
          <TextInput
            name="url"
            label={words.webhooks.url}
            placeholder="https://example.com/hooks/sluice"
            required
            defaultValue={fields?.url}
            error={fault('/url')}
          />
          <Checkbox.Group label={words.webhooks.events} value={events} onChange={setEvents}>
            <Stack my={4} gap="xs">
              {choicesOf(words.webhooks.eventNames).map((event) => (
                <Checkbox key={event.value} {...event} />
              ))}
            </Stack>
          </Checkbox.Group>
          {hasSilence && <SilenceInput silence={fields?.silence ?? 60} />}
          {hasThreshold && <ThresholdInputs refusals={fields?.refusals} />}
        </>
      )}
    </Form>
  );
}
