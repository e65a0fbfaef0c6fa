/** Runs a few tasks at a time. After a failure it begins no more tasks. */
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
    /** Resolves when there is room for another task. Rejects when a task has failed. */
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

    /** Resolves when all tasks have succeeded. */
    async finish(): Promise<void> {
      await settled();
      check();
    },

    /** Resolves when no task runs any more, whether tasks failed or not. */
    settled,
  };
}
