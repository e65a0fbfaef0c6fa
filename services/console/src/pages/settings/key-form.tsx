import { Group, NumberInput, TextInput } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { Form } from '../../components/form.tsx';
import { fromLocal, toLocal } from '../../components/time-zone.ts';
import { words } from '../../words/en.ts';

interface Props {
  /** What it is now. */
  ingestKey: Schemas['Key'];
  save: (change: Schemas['KeyUpdate']) => Promise<unknown>;
}

/** The name of a key, and its limits. */
export function KeyForm({ ingestKey: { name, upload_rate, expires_at }, save }: Props) {
  const before = toLocal(expires_at, 'seconds');
  const send = (typed: Record<'name' | 'entries' | 'seconds' | 'expires', string>) =>
    save({
      name: typed.name,
      upload_rate: typed.entries ? { entries: Number(typed.entries), seconds: Number(typed.seconds) } : null,
      // A time that has passed may stay, but not be set.
      ...(typed.expires !== before && {
        expires_at: fromLocal(typed.expires) ?? null,
      }),
    });
  return (
    <Form act={send} submit={words.settings.saveKey} mt="sm">
      {(fault) => (
        <>
          <TextInput
            name="name"
            label={words.settings.name}
            defaultValue={name}
            required
            maxLength={100}
            error={fault('/name')}
          />
          <Group align="flex-start">
            <NumberInput
              name="entries"
              label={words.settings.rateEntries}
              description={words.settings.rateHint}
              defaultValue={upload_rate?.entries ?? ''}
              min={1}
              max={999_999_999}
            />
            <NumberInput
              name="seconds"
              label={words.settings.rateSeconds}
              description={words.settings.secondsHint}
              defaultValue={upload_rate?.seconds ?? 60}
              required
              min={1}
              max={604_800}
            />
            <TextInput
              name="expires"
              type="datetime-local"
              step={1}
              label={words.settings.keyExpires}
              description={words.settings.expiresHint}
              defaultValue={before}
              error={fault('/expires_at')}
            />
          </Group>
        </>
      )}
    </Form>
  );
}
