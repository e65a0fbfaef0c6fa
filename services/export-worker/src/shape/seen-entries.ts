import type { Seen } from '@sluice/store/entries/cuts.ts';

/** Older commands had ended when the export began; see `docs/decisions/0022-forward-sync.md`. */
const lookbackMs = 120_000;
/** Limits the size of the job's record. */
const maxRuns = 50_000;

/**
 * Remembers the latest entries of a reading, so that the next reading leaves out later entries.
 * If the ids are scattered, it remembers a shorter time.
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

/** The entries of an import are not in the order of their numbers. */
function sorted(runs: number[]): number[] {
  const pairs = Array.from({ length: runs.length / 2 }, (_, i) => runs.slice(2 * i, 2 * i + 2));
  return pairs.sort(([a = 0], [b = 0]) => a - b).flat();
}
