import { Badge, Button, Group, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client, type Schemas } from '../../api/client.ts';
import { faultAt } from '../../api/failure.ts';
import { reasonOf } from '../../api/refused.ts';
import { SmallButton } from '../../components/buttons.tsx';
import { Choice } from '../../components/choice.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { submits } from '../../components/form.tsx';
import { exactDataOf, toText } from '../../json/exact.ts';
import { JsonDiff } from '../../json/json-view.tsx';
import { words } from '../../words/en.ts';
import { useApplication } from '../application/use-application.ts';
import { type FixChange, suggestChange, toAmendments } from './fix.ts';
import { ReplayButton } from './replays.tsx';

interface Props {
  group: Schemas['RefusedGroup'];
  onStarted: (replayId: string) => void;
}

/** Changes the payloads of a group: first tries the changes with ten uploads, then replays all. */
export function FixForm({ group, onStarted }: Props) {
  const { kept } = group;
  const { domain, template } = useApplication();
  const [changes, setChanges] = useState<FixChange[]>(() => [suggestChange(group, template.raw_schema)]);
  const [patch, setPatch] = useState('');
  const body = { ...reasonOf(group), ...toAmendments({ changes, patch }) };
  const params = { path: { domain }, query: { dry_run: true } };
  const dryRun = useMutation({
    mutationFn: () =>
      exactDataOf<{ pairs: Pair[] }>(
        client.POST('/api/applications/{domain}/replays', { params, body, parseAs: 'text' }),
      ),
  });
  const { data, error, reset, isPending } = dryRun;
  const faults = changes.map((_, place) => faultAt(error, `/coerce/${place}`));
  const patchFault = faultAt(error, '/patch');
  const hasPlace = patchFault !== undefined || faults.some(Boolean);

  function edit(next: FixChange[]) {
    reset();
    setChanges(next);
  }

  return (
    <Stack component="form" gap="sm" onSubmit={submits(() => dryRun.mutate())}>
      <Text>{words.refused.changePayloadsText}</Text>
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
      <SmallButton onClick={() => edit([...changes, { id: Date.now(), path: '', to: 'number', value: '' }])}>
        {words.refused.addChange}
      </SmallButton>
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
            request={body}
            label={words.refused.replay(kept)}
            onStarted={(id) => {
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

interface ChangeProps {
  change: FixChange;
  /** From 1, for screen readers. */
  number: number;
  fault: string | undefined;
  onChange: (change: FixChange) => void;
  onRemove: () => void;
}

function ChangeFields({ change, number, fault, onChange, onRemove }: ChangeProps) {
  return (
    <Group align="start" gap="xs">
      <TextInput
        label={words.refused.changeAt}
        placeholder="/celsius"
        value={change.path}
        onChange={({ currentTarget }) => onChange({ ...change, path: currentTarget.value })}
        error={fault}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
      <Choice
        label={words.refused.changeTo}
        labels={words.refused.conversions}
        value={change.to}
        onChoice={(to) => onChange({ ...change, to })}
      />
      {change.to === 'default' && (
        <TextInput
          label={words.refused.defaultValue}
          value={change.value}
          onChange={({ currentTarget }) => onChange({ ...change, value: currentTarget.value })}
        />
      )}
      <Button
        variant="subtle"
        color="red"
        mt={{ base: 0, xs: 25 }}
        onClick={onRemove}
        aria-label={words.refused.removeChange(number)}
      >
        {words.common.remove}
      </Button>
    </Group>
  );
}

type Pair = Schemas['ReplayPair'];

function faultOf({ error }: Pair): string {
  const first = error?.details?.[0];
  return first ? `${first.path} ${first.message}` : (error?.message ?? '');
}

function Pairs({ pairs }: { pairs: Pair[] }) {
  const conforming = pairs.filter(({ ok }) => ok).length;
  return (
    <Stack gap="sm" role="region" aria-label={words.refused.tried}>
      <Title order={5}>{words.refused.triedOf(conforming, pairs.length)}</Title>
      {pairs.map((pair, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pairs have no ids, and their order stays
        <Stack key={place} gap={4}>
          <Group gap="xs">
            <Badge variant="dot" color={pair.ok ? 'teal' : 'red'}>
              {pair.ok ? words.refused.conforms : words.refused.stillRefused}
            </Badge>
            <Text>{faultOf(pair)}</Text>
          </Group>
          <JsonDiff
            before={toText(pair.before)}
            after={toText(pair.after)}
            label={words.refused.beforeAfter(place + 1)}
          />
        </Stack>
      ))}
    </Stack>
  );
}
