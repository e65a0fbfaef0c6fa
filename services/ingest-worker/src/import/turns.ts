import type { Store } from '@sluice/shared/store/connect.ts';

/** Imports that are looked at for the next chunk. */
const most = 1_000;

/**
 * In which order imports are asked for a chunk: those of owners with the fewest chunks under way first, the one that has
 * waited longest first among one owner's. So nobody's gigabytes hold up the small file of another.
 */
export function createTurns({ chunks, jobs: { imports } }: Pick<Store, 'chunks' | 'jobs'>) {
  return async function turns(): Promise<string[]> {
    const waiting = await imports.turns(most);
    const ofOwners = Map.groupBy(waiting, ({ owner }) => owner);
    if (ofOwners.size < 2) return waiting.map(({ id }) => id);
    const underWay = await chunks.underWay();
    const load = (owner: string) => underWay.get(owner) ?? 0;
    return [...ofOwners]
      .sort(([a], [b]) => load(a) - load(b))
      .flatMap(([, theirs]) => theirs.map(({ id }) => id));
  };
}
