import { Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { fromPointer, toPointer } from '@sluice/json/pointer.ts';
import { useState } from 'react';
import { faultAt } from '../../api/failure.ts';
import { type RefusedGroup, reasonOf } from '../../api/refused.ts';
import { words } from '../../words/en.ts';
import { ChangeChoice } from './change-choice.tsx';
import { ChangeForm } from './change-form.tsx';
import { type Amendments, type Fix, isComplete, toAmendments } from './fix.ts';
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
  const written = JSON.stringify(toAmendments(fix));
  const [settled] = useDebouncedValue(written, typingMs);
  const amendments: Amendments = JSON.parse(settled);
  const rehearsal = useRehearsal(group, isComplete(fix) ? amendments : undefined);
  const { data, error } = rehearsal;
  const faultOf = (place: string) => faultAt(error, place);
  const hasPlace = faultOf('/patch') !== undefined || fix.changes.some((_, at) => faultOf(`/coerce/${at}`));
  const isEmpty = fix.changes.length === 0 && fix.patch.trim() === '';
  const isSettled = settled === written && isComplete(fix) && data !== undefined;
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
      {isSettled && <Preview pairs={data.pairs} pointer={pointerOf(group)} />}
      {isComplete(fix) && !hasPlace && (
        <Outcome query={isSettled ? rehearsal : { data: undefined, error }} kept={group.kept} />
      )}
      <ReplayButton
        request={{ ...reasonOf(group), ...amendments }}
        label={words.refused.changeAndReplay(group.kept)}
        variant={isPrimary ? 'filled' : 'default'}
        disabled={!isSettled || data.conforming === 0}
        onStarted={(id) => {
          setFix(undefined);
          onStarted(id);
        }}
      />
      <details>
        <summary>{words.refused.editChange}</summary>
        <Stack gap="sm" mt="xs">
          <ChangeForm fix={fix} faultOf={faultOf} onChange={setFix} />
          {isSettled && <Pairs pairs={data.pairs} />}
        </Stack>
      </details>
    </>
  );
}

/** Where uploads of a group are wrong. */
const pointerOf = ({ path, property }: RefusedGroup) =>
  path + toPointer(property === undefined ? [] : [property]);

/** A patch of one step, in words. */
function sayPatch(patch: string): string {
  try {
    const [{ op, from, path }, ...others] = JSON.parse(patch);
    const name = (pointer: string) => fromPointer(pointer).join('/');
    if (others.length === 0 && op === 'move') return words.refused.renames(name(from), name(path));
    if (others.length === 0 && op === 'remove') return words.refused.removes(name(path));
  } catch {
    // It is being typed.
  }
  return words.refused.patches;
}
