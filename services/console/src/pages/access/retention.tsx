import { Button, Group, NumberInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { ApiFailure } from '../../api/failure.ts';
import { ConfirmDialog } from '../../components/confirm-button.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { Section } from './section.tsx';
import { useUpdate } from './use-update.ts';

/** How long entries are kept. */
export function Retention() {
  const { domain, retention_days } = useApplication();
  const [days, setDays] = useState<number | string>(retention_days ?? '');
  const update = useUpdate(domain);
  const { error } = update;

  const [isAsked, asking] = useDisclosure();
  const wanted = days === '' ? null : Number(days);
  const isShorter = wanted !== null && wanted >= 1 && wanted < (retention_days ?? Number.POSITIVE_INFINITY);
  const save = () => update.mutate({ retention_days: wanted });

  function submit(event: FormEvent) {
    event.preventDefault();
    if (isShorter) asking.open();
    else save();
  }

  return (
    <Section title={words.access.retention} text={words.access.retentionText}>
      <Group component="form" onSubmit={submit} align="flex-end">
        <NumberInput
          label={words.access.retentionDays}
          placeholder={words.access.forEver}
          min={1}
          max={3_650}
          clampBehavior="none"
          allowDecimal={false}
          value={days}
          onChange={setDays}
          error={(error instanceof ApiFailure && error.ofField('retention_days')) || error?.message}
        />
        <Button type="submit" loading={update.isPending}>
          {words.access.saveRetention}
        </Button>
      </Group>
      <ConfirmDialog
        title={words.access.retention}
        opened={isAsked}
        close={asking.close}
        label={words.access.saveAndDelete}
        question={words.access.retentionQuestion(String(days))}
        color="red"
        onConfirm={save}
      />
    </Section>
  );
}
