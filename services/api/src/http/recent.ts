/** Asks again when the last answer is older than that. Who asks meanwhile shares the answer that is awaited. `ask` never rejects. */
export function createRecent<T>(maxAgeMs: number, ask: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined;
  let end = Number.POSITIVE_INFINITY;

  return () => {
    if (!last || performance.now() > end) {
      end = Number.POSITIVE_INFINITY;
      last = ask().finally(() => {
        end = performance.now() + maxAgeMs;
      });
    }
    return last;
  };
}
