import { Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { isJson, parseJson } from '@sluice/json/parse-json.ts';
import { toPointer } from '@sluice/json/pointer.ts';
import { useState } from 'react';
import { faultAt } from '../../api/failure.ts';
import { type RefusedGroup, reasonOf } from '../../api/refused.ts';
import { words } from '../../words/en.ts';
import { ChangeChoice } from './change-choice.tsx';
import { ChangeForm } from './change-form.tsx';
import { type Fix, isComplete, toAmendments } from './fix.ts';
import { Outcome } from './outcome.tsx';
import { Pairs, Preview } from './pairs.tsx';
import { ReplayButton } from './replays.tsx';
import { useRehearsal } from './use-rehearsal.ts';

interface Props {
  group: RefusedGroup;
  suggested: Fix;
  isPrimary: boolean;
  onStarted: (replayId: string) => void;
}

const typingMs = 400;

/** Changes the uploads of a group, then replays them. Each change is rehearsed first. */
export function UploadsMend({ group, suggested, isPrimary, onStarted }: Props) {
  // What was suggested, until it is edited.
  const [edited, setFix] = useState<Fix>();
  const fix = edited ?? suggested;
  const amendments = toAmendments(fix);
  const written = JSON.stringify(amendments);
  const isTyped = useDebouncedValue(written, typingMs)[0] === written;
  const rehearsal = useRehearsal(group, isTyped && isComplete(fix) ? amendments : undefined);
  const { data, error } = rehearsal;
  const faultOf = (place: string) => faultAt(error, place);
  const hasPlace = faultOf('/patch') !== undefined || fix.changes.some((_, at) => faultOf(`/coerce/${at}`));
  const isEmpty = fix.changes.length === 0 && fix.patch.trim() === '';
  return (
    <>
      {isEmpty && <Text>{words.refused.noChange}</Text>}
      {fix.patch.trim() !== '' && <Text>{sayPatch(fix.patch)}</Text>}
      {fix.changes.map((change, at) => (
        <ChangeChoice
          key={change.id}
          change={change}
          onChange={(next) => setFix({ ...fix, changes: fix.changes.with(at, next) })}
        />
      ))}
      {!isEmpty && !isComplete(fix) && <Text c="dimmed">{words.refused.openChoice}</Text>}
      {data && <Preview pairs={data.pairs} pointer={pointerOf(group)} />}
      {isComplete(fix) && !hasPlace && <Outcome query={rehearsal} kept={group.kept} />}
      <ReplayButton
        request={{ ...reasonOf(group), ...amendments }}
        label={words.refused.changeAndReplay(group.kept)}
        variant={isPrimary ? 'filled' : 'default'}
        disabled={!data || data.conforming === 0}
        onStarted={(id) => {
          setFix(undefined);
          onStarted(id);
        }}
      />
      <details>
        <summary>{words.refused.editChange}</summary>
        <Stack gap="sm" mt="xs">
          <ChangeForm fix={fix} faultOf={faultOf} onChange={setFix} />
          {data && <Pairs pairs={data.pairs} />}
        </Stack>
      </details>
    </>
  );
}

/** Where uploads of a group are wrong. */
const pointerOf = ({ path, property }: RefusedGroup) =>
  path + toPointer(property === undefined ? [] : [property]);

interface Step {
  op?: unknown;
  from?: unknown;
  path?: unknown;
}

const nameOf = (pointer: unknown) => String(pointer).slice(1);

/** A patch of one step, in words. It may be any text while it is typed. */
function sayPatch(patch: string): string {
  const steps = isJson(patch) ? parseJson(patch) : undefined;
  const [step] = Array.isArray(steps) && steps.length === 1 ? (steps as (Step | null)[]) : [];
  if (step?.op === 'move') return words.refused.renames(nameOf(step.from), nameOf(step.path));
  return step?.op === 'remove' ? words.refused.removes(nameOf(step.path)) : words.refused.patches;
}
