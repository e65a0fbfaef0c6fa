import { Button, Group, Stack, Text, Textarea, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { client } from '../../api/client.ts';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { formatNumber } from '../../components/formats.ts';
import { exactDataOf } from '../../json/exact.ts';
import { words } from '../../words/en.ts';
import { ChangeFields } from './change-fields.tsx';
import { type Change, faultAt, suggestChange, toAmendments } from './fix.ts';
import { type Pair, Pairs } from './pairs.tsx';
import type { RefusedGroup } from './refused.ts';
import { ReplayButton } from './replay-button.tsx';

interface Props {
  domain: string;
  group: RefusedGroup;
  /** Gets the id of the replay. */
  onStarted: (id: string) => void;
}

/** Changes the payloads of a group: first tries that with ten of them, then replays them. */
export function FixForm({ domain, group, onStarted }: Props) {
  const { path, keyword, kept } = group;
  const [changes, setChanges] = useState<Change[]>(() => [suggestChange(group)]);
  const [patch, setPatch] = useState('');
  const request = { path, keyword, ...toAmendments({ changes, patch }) };
  const dryRun = useMutation({
    mutationFn: () =>
      exactDataOf<{ pairs: Pair[] }>(
        client.POST('/api/applications/{domain}/replays', {
          params: { path: { domain }, query: { dry_run: true } },
          body: request,
          parseAs: 'text',
        }),
      ),
  });
  const { data, error, reset, isPending } = dryRun;
  const faults = changes.map((_, place) => faultAt(error, `/coerce/${place}`));
  const patchFault = faultAt(error, '/patch');
  const hasPlace = patchFault !== undefined || faults.some(Boolean);

  function edit(next: Change[]) {
    reset();
    setChanges(next);
  }

  function submit(event: FormEvent) {
    event.preventDefault();
    dryRun.mutate();
  }

  return (
    <Stack component="form" gap="sm" onSubmit={submit}>
      <Title order={4} size="h5">
        {words.refused.changePayloads}
      </Title>
      <Text size="sm">{words.refused.changePayloadsText}</Text>
      {changes.map((change, place) => (
        <ChangeFields
          key={change.id}
          change={change}
          number={place + 1}
          fault={faults[place]}
          onChange={(next) => edit(changes.with(place, next))}
          onRemove={() => edit(changes.toSpliced(place, 1))}
        />
      ))}
      <Group>
        <Button
          size="xs"
          variant="default"
          onClick={() => edit([...changes, { id: Date.now(), path: '', to: 'number', value: '' }])}
        >
          {words.refused.addChange}
        </Button>
      </Group>
      <Textarea
        label={words.refused.patch}
        description={words.refused.patchHint}
        placeholder='[{"op":"move","from":"/temp","path":"/celsius"}]'
        value={patch}
        onChange={({ currentTarget }) => {
          reset();
          setPatch(currentTarget.value);
        }}
        error={patchFault}
        autosize
        minRows={2}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
      <Group>
        <Button type="submit" variant="default" loading={isPending}>
          {words.refused.tryOut}
        </Button>
        {data && (
          <ReplayButton
            domain={domain}
            request={request}
            label={words.refused.replay(formatNumber(kept))}
            onStarted={({ id }) => {
              reset();
              onStarted(id);
            }}
          />
        )}
      </Group>
      {error && !hasPlace && <ErrorAlert error={error} />}
      {data && <Pairs pairs={data.pairs} />}
    </Stack>
  );
}
