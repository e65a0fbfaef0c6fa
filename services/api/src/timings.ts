/** Times that tests change. */
export const usualTimings = {
  /** How long a streamed export waits for a worker, in ms. */
  exportWaitMs: 8_000,
};

export type Timings = typeof usualTimings;
