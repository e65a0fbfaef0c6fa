/** Times that tests change, in ms. */
export const usualTimings = {
  /** How long a streamed export waits for a worker. */
  exportWaitMs: 8_000,
  /** How often the entries of owners who upload are counted for quotas. */
  quotaCountMs: 5_000,
  /** How often a follower's rights are checked again. */
  followerCheckMs: 10_000,
  /** Longer than a proxy keeps a connection: a proxy may be sending a request just when the server closes it. */
  keepAliveMs: 15_000,
};

export type Timings = typeof usualTimings;
