import type { Schema } from '../parse-schema.ts';

/** Keeps which lists of schemas were compared with which, so that each that is the same is compared once, and none within itself. */
export function createPairs() {
  const numbers = new Map<Schema, number>();
  const unchanged = new Set<string>();
  const open = new Set<string>();
  /** How often a pair was left out because it was open. */
  let leftOut = 0;

  function keyOf(schemas: Schema[]): string {
    return schemas
      .map((schema) => {
        if (!numbers.has(schema)) numbers.set(schema, numbers.size);
        return numbers.get(schema);
      })
      .join();
  }

  /** `compare` returns how many changes it found. */
  return (before: Schema[], after: Schema[], compare: () => number): void => {
    const key = `${keyOf(before)}:${keyOf(after)}`;
    if (unchanged.has(key)) return;
    if (open.has(key)) {
      leftOut += 1;
      return;
    }
    const leftOutBefore = leftOut;
    open.add(key);
    const found = compare();
    open.delete(key);
    if (found === 0 && leftOut === leftOutBefore) unchanged.add(key);
  };
}
