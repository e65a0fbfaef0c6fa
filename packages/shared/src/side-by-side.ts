/** Lets tasks run side by side, a few at a time. After a failure nothing more is begun. */
export function createSideBySide(atOnce: number) {
  const underWay = new Set<Promise<void>>();
  let failure: { error: unknown } | undefined;

  async function settled(): Promise<void> {
    await Promise.all(underWay);
  }

  function check(): void {
    if (failure) throw failure.error;
  }

  return {
    /** Resolves when there is room for the next one. Rejects when this or one before it has failed. */
    async add(task: () => Promise<void>): Promise<void> {
      check();
      const running: Promise<void> = task()
        .catch((error) => {
          failure ??= { error };
        })
        .finally(() => underWay.delete(running));
      underWay.add(running);
      if (underWay.size >= atOnce) await Promise.race(underWay);
      check();
    },

    /** Resolves when all have succeeded. */
    async finish(): Promise<void> {
      await settled();
      check();
    },

    /** Resolves when none runs any more, however they ended. */
    settled,
  };
}
