export type Places = ReturnType<typeof createPlaces>;

/**
 * Places of a worker. An owner may take one more while it has fewer than are free, so nobody ever has all of them. Others go first
 * beside an owner who took a quarter of them within one turn, or within the turn before.
 */
export function createPlaces(limit: number) {
  const owners = new Map<string, number>();
  let taken = 0;
  /** How often each took a place in this turn. */
  let begun = new Map<string, number>();
  let busyBefore: string[] = [];
  /** Owners of all that is due. */
  let onlyOf: string[] | undefined;

  const full = () => [...owners].filter(([, own]) => own >= limit - taken).map(([owner]) => owner);
  const busyNow = () => [...begun].filter(([, times]) => times >= limit / 4).map(([owner]) => owner);

  return {
    isFull: () => taken >= limit,

    /** Owners that may take no more turns now. */
    full,

    /** Those beside whom others go first, and those who may take no more. */
    busy: () => [...new Set([...full(), ...busyNow(), ...busyBefore])],

    nextTurn(): void {
      busyBefore = busyNow();
      begun = new Map();
      onlyOf = undefined;
    },

    /** Nothing is due of others. To ask again is in vain in this turn, until work of another has settled. */
    noteNone(beside: string[]): void {
      onlyOf = beside;
    },

    isKnownNone: (beside: string[]) => onlyOf?.every((owner) => beside.includes(owner)) ?? false,

    /** Until the work has settled. */
    async hold(owner: string, work: Promise<void>): Promise<void> {
      owners.set(owner, (owners.get(owner) ?? 0) + 1);
      begun.set(owner, (begun.get(owner) ?? 0) + 1);
      taken += 1;
      await work.finally(() => {
        const left = (owners.get(owner) ?? 0) - 1;
        if (left > 0) owners.set(owner, left);
        else owners.delete(owner);
        taken -= 1;
        if (!onlyOf?.includes(owner)) onlyOf = undefined;
      });
    },
  };
}
