/** Entries that were written longer ago do not count. */
const overMs = 3_000;

/** How many entries are written a second, of late. */
export function createRate() {
  let counted = 0;
  let samples = [{ at: performance.now(), counted }];

  return {
    count(entries: number): void {
      counted += entries;
    },

    /** To be called now and then. */
    perSecond(): number {
      const now = performance.now();
      samples = samples.filter(({ at }, place) => at > now - overMs || place === samples.length - 1);
      const oldest = samples[0] as (typeof samples)[0];
      samples.push({ at: now, counted });
      return Math.round(((counted - oldest.counted) / Math.max(now - oldest.at, 1)) * 1_000);
    },
  };
}
