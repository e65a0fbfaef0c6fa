import type { LeaseTimings } from '@sluice/store/under-lease.ts';

/** In ms. */
export interface Timings extends LeaseTimings {
  /** A job goes back to the queue when its worker did not speak to Redis for so long, or half as long again. */
  lockMs: number;
  sweepMs: number;
  /** A long job looks so often whether other owners wait. */
  turnMs: number;
  /** A job without a lease that was enqueued so long ago may be one that Redis forgot. */
  forgottenMs: number;
  /** A worker that gets no job for so long while some wait ends, to be restarted. */
  unresponsiveMs: number;
  /** After its application is deleted an upload is let in for so long at most: by the age of the caches, and its waiting. */
  lateUploadMs: number;
}

export const timings: Timings = {
  leaseMs: 10_000,
  heartbeatMs: 500,
  lockMs: 10_000,
  sweepMs: 5_000,
  turnMs: 2_000,
  forgottenMs: 6_000,
  unresponsiveMs: 60_000,
  lateUploadMs: 10_000,
};
