import { otherReason } from '@sluice/intake/refused/counts.ts';
import type { RefusalRecorder, RefusingApplication } from '@sluice/intake/refused/recorder.ts';
import {
  nameOf,
  type RefusedUpload,
  reasonOf,
  type ToldReason,
} from '@sluice/intake/refused/refused-upload.ts';

/** Lines that are kept; further ones are only counted. */
const mostLines = 500;
const mostReasons = 100;

export type RefusedLines = ReturnType<typeof createRefusedLines>;

/** Gathers refused lines of an import until their chunk is done, as another worker may repeat it. */
export function createRefusedLines() {
  const lines: RefusedUpload[] = [];
  const others = new Map<string, { reason: ToldReason; times: number }>();

  function count(reason: ToldReason): void {
    const name = nameOf(reason);
    const same = others.get(name);
    if (same) same.times += 1;
    else if (others.size < mostReasons || reason === otherReason) others.set(name, { reason, times: 1 });
    else count(otherReason);
  }

  return {
    add(line: RefusedUpload): void {
      const reason = reasonOf(line.refusal);
      if (!reason) return;
      if (lines.length < mostLines) lines.push(line);
      else count(reason);
    },

    noteTo(recorder: Pick<RefusalRecorder, 'note' | 'count'>, application: RefusingApplication): void {
      for (const line of lines) recorder.note(application, line);
      for (const { reason, times } of others.values()) recorder.count(application, reason, times);
    },
  };
}
