import type { Store } from '@sluice/shared/store/connect.ts';

/** Imports that are looked at for the next chunk. */
const most = 1_000;

/**
 * In which order imports are asked for a chunk: those of owners with the fewest chunks under way first,
 * among equals of who had none for longest, and the one that has waited longest first among one owner's. So nobody's gigabytes hold up the small file of another.
 */
export function createTurns({
  chunks,
  jobs: { imports },
  turns: last,
}: Pick<Store, 'chunks' | 'jobs' | 'turns'>) {
  return async function turns(): Promise<string[]> {
    const waiting = await imports.turns(most);
    const ofOwners = Map.groupBy(waiting, ({ owner }) => owner);
    if (ofOwners.size < 2) return waiting.map(({ id }) => id);
    const [underWay, lastTurn] = await Promise.all([
      chunks.underWay(),
      last.last('import', [...ofOwners.keys()]),
    ]);
    const load = (owner: string) => underWay.get(owner) ?? 0;
    const hadTurn = (owner: string) => lastTurn.get(owner) ?? 0;
    return [...ofOwners]
      .sort(([a], [b]) => load(a) - load(b) || hadTurn(a) - hadTurn(b))
      .flatMap(([, theirs]) => theirs.map(({ id }) => id));
  };
}
