import { Button, Group, Textarea, TextInput } from '@mantine/core';
import { SmallButton } from '../../components/buttons.tsx';
import { Choice } from '../../components/choice.tsx';
import { words } from '../../words/en.ts';
import { ChangeValues } from './change-choice.tsx';
import { type Fix, type FixChange, newChange } from './fix.ts';

const monospace = { input: { fontFamily: 'var(--mantine-font-family-monospace)' } };

interface Props {
  fix: Fix;
  /** What is wrong at a place of the request. */
  faultOf: (place: string) => string | undefined;
  onChange: (fix: Fix) => void;
}

/** Changes of uploads as people write them themselves. */
export function ChangeForm({ fix, faultOf, onChange }: Props) {
  const { changes, patch } = fix;
  const edit = (next: FixChange[]) => onChange({ ...fix, changes: next });
  return (
    <>
      {changes.map((change, at) => (
        <ChangeFields
          key={change.id}
          change={change}
          number={at + 1}
          fault={faultOf(`/coerce/${at}`)}
          onChange={(next) => edit(changes.with(at, next))}
          onRemove={() => edit(changes.toSpliced(at, 1))}
        />
      ))}
      <SmallButton onClick={() => edit([...changes, newChange({ id: Date.now() })])}>
        {words.refused.addChange}
      </SmallButton>
      <Textarea
        label={words.refused.patch}
        description={words.refused.patchHint}
        placeholder='[{"op":"move","from":"/temp","path":"/celsius"}]'
        value={patch}
        onChange={({ currentTarget }) => onChange({ ...fix, patch: currentTarget.value })}
        error={faultOf('/patch')}
        autosize
        minRows={2}
        styles={monospace}
      />
    </>
  );
}

interface FieldsProps {
  change: FixChange;
  /** From 1, for screen readers. */
  number: number;
  fault: string | undefined;
  onChange: (change: FixChange) => void;
  onRemove: () => void;
}

function ChangeFields({ change, number, fault, onChange, onRemove }: FieldsProps) {
  const { path, to, from } = change;
  return (
    <Group align="end" gap="xs">
      <TextInput
        label={words.refused.changeAt}
        placeholder="/celsius"
        value={path}
        onChange={({ currentTarget }) => onChange({ ...change, path: currentTarget.value })}
        error={fault}
        styles={monospace}
      />
      <Choice
        label={words.refused.changeTo}
        labels={words.refused.conversions}
        value={to}
        onChoice={(next) => onChange({ ...change, to: next })}
      />
      {(to === 'replace' || to === 'remove') && (
        <TextInput
          label={words.refused.fromValue}
          value={from}
          onChange={({ currentTarget }) => onChange({ ...change, from: currentTarget.value })}
        />
      )}
      <ChangeValues change={change} onChange={onChange} />
      <Button variant="subtle" onClick={onRemove} aria-label={words.refused.removeChange(number)}>
        {words.common.remove}
      </Button>
    </Group>
  );
}
