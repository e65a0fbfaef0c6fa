/** Too much of this key waits already. */
export class TooManyTurns extends Error {}

/** Does work of the same key one after another, in the order in which it is asked for. Rejects with TooManyTurns beyond `most` that wait. */
export function createTurns(most: number) {
  const lines = new Map<string, { last: Promise<unknown>; length: number }>();

  return function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const line = lines.get(key) ?? { last: Promise.resolve(), length: 0 };
    // One of them has its turn.
    if (line.length > most) return Promise.reject(new TooManyTurns());
    lines.set(key, line);
    line.length += 1;
    const result = line.last.then(work);
    line.last = result
      .catch(() => undefined)
      .then(() => {
        line.length -= 1;
        if (line.length === 0) lines.delete(key);
      });
    return result;
  };
}
