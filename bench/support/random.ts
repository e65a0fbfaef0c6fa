/** Random values that are the same in each run. The generator is mulberry32. */
export function createRandom(seed: number) {
  let state = Math.imul(seed + 1, 0x9e3779b9);
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const whole = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    whole,
    /** With up to two places after the point. */
    decimal: (least: number, most: number) => whole(least * 100, most * 100) / 100,
    pick: <T>(from: readonly T[]): T => from[whole(0, from.length - 1)] as T,
  };
}
