import type { Seen } from '@sluice/store/entries/cuts.ts';

/** Commands that were under way when the export began are over by far; see `docs/decisions/0010-milestones.md`. */
const lookbackMs = 120_000;
/** Bounds what is in the record of the job. */
const maxRuns = 50_000;

/**
 * Remembers which of the latest entries a reading met, so that the next one leaves out what has come since. Entries
 * come by time; where their ids lie scattered it remembers a shorter time.
 */
export function createSeenEntries(startedAt: Date, limit = maxRuns) {
  let since = startedAt.getTime() - lookbackMs;
  let runs = new Map<string, number[]>();
  let count = 0;

  return {
    /** Takes the bytes of an id (14). */
    add(id: Buffer): void {
      const time = id.readUIntBE(0, 6);
      if (time < since) return;
      if (count >= limit) {
        since = time + 1;
        runs = new Map();
        count = 0;
        return;
      }
      const process = id.toString('hex', 6, 10);
      const counter = id.readUInt32BE(10);
      const known = runs.get(process);
      if (known?.at(-1) === counter - 1) known[known.length - 1] = counter;
      else {
        count += 1;
        if (known) known.push(counter, counter);
        else runs.set(process, [counter, counter]);
      }
    },

    seen(): Seen {
      return { since, runs: Object.fromEntries([...runs].map(([process, list]) => [process, sorted(list)])) };
    },
  };
}

/** Lines of an import do not come in the order of their numbers. */
function sorted(runs: number[]): number[] {
  const pairs = Array.from({ length: runs.length / 2 }, (_, i) => runs.slice(2 * i, 2 * i + 2));
  return pairs.sort(([a = 0], [b = 0]) => a - b).flat();
}
