export type Places = ReturnType<typeof createPlaces>;

/** Places of a worker. An owner may take one more while it has fewer than are free, so nobody ever has all of them. */
export function createPlaces(limit: number) {
  const owners = new Map<string, number>();
  let taken = 0;
  /** Owners of all that is due. */
  let onlyOf: string[] | undefined;

  return {
    isFull: () => taken >= limit,

    /** Those who may take no more now. */
    full: () => [...owners].filter(([, own]) => own >= limit - taken).map(([owner]) => owner),

    /** Nothing is due of others than these. To ask again is in vain until `forgetNone`, or until work of another has settled. */
    noteNone(notOf: string[]): void {
      onlyOf = notOf;
    },

    isKnownNone: (notOf: string[]) => onlyOf?.every((owner) => notOf.includes(owner)) ?? false,

    forgetNone(): void {
      onlyOf = undefined;
    },

    /** Until the work has settled. */
    async hold(owner: string, work: Promise<void>): Promise<void> {
      owners.set(owner, (owners.get(owner) ?? 0) + 1);
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
