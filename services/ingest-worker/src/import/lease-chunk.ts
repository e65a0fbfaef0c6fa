import { keepLease, type LeaseTimings } from '@sluice/shared/lease.ts';
import type { ClaimedChunk } from '@sluice/shared/store/chunks.ts';
import type { Store } from '@sluice/shared/store/connect.ts';

/** Keeps a chunk as long as it is worked on, and tells the job how far it is. */
export function leaseChunk(
  { chunks, jobs: { imports }, applications }: Pick<Store, 'chunks' | 'jobs' | 'applications'>,
  { id, fence, job, application, counted: before }: ClaimedChunk,
  timings: LeaseTimings,
) {
  /** Lines that are done, and how many of them the job knows of. */
  let lines = 0;
  let counted = before;

  async function renew(): Promise<boolean> {
    const done = Math.max(lines, counted);
    // First what a later worker must know, or lines would be counted twice.
    if (!(await chunks.renew(id, fence, done, timings.leaseMs))) return false;
    const advance = { done: done - counted, accepted: 0, rejected: 0, released: 0 };
    counted = done;
    const isWanted = await imports.advance(job, advance);
    return isWanted && (await applications.existing([application])).has(application);
  }

  const lease = keepLease(renew, timings);
  return {
    ...lease,
    /** Checks the lease, and notes the lines that are done so far. */
    note(done: number): void {
      lines = done;
      lease.check();
    },
    counted: () => counted,
  };
}
