import type { EntryId } from './entry-id.ts';

/** By how much the clocks of API processes may differ. */
export const maxSkewMs = 2_000;

/**
 * The entries of an export: those up to `until`.
 * From `since` (ms since the epoch) on, only those up to the counter of their process.
 *
 * Clocks of API processes differ, so a later upload can have a key below `until`.
 */
export interface Cut {
  until: EntryId;
  since: number;
  /** Process (8 hexadecimal digits) → counter. */
  counters: Record<string, number>;
  /** Where the entries are read more than once: which there were the first time. */
  seen?: Seen | undefined;
}

/** Entries that were under way then may come in between readings; these are the ones from `since` on that had come. */
export interface Seen {
  since: number;
  /** Process → first and last counter of each run, ascending. */
  runs: Record<string, number[]>;
}

/** Whether an entry, given by the bytes of its id (14), is on this side of the cut. */
export function isWithin({ since, counters, seen }: Cut, id: Buffer): boolean {
  const time = id.readUIntBE(0, 6);
  const isRecent = time >= since;
  const isLate = seen !== undefined && time >= seen.since;
  if (!isRecent && !isLate) return true;
  const process = id.toString('hex', 6, 10);
  const counter = id.readUInt32BE(10);
  if (isLate && !isInRuns(seen.runs[process] ?? [], counter)) return false;
  const newest = counters[process];
  return !isRecent || (newest !== undefined && counter <= newest);
}

/** Entries of before this time (ms since the epoch) are all within. */
export const isWithinUntil = ({ since, seen }: Cut): number => Math.min(since, seen?.since ?? since);

function isInRuns(runs: number[], counter: number): boolean {
  let [low, high] = [0, runs.length / 2];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (counter > (runs[2 * middle + 1] as number)) low = middle + 1;
    else high = middle;
  }
  return low < runs.length / 2 && counter >= (runs[2 * low] as number);
}
