import type { Store } from '@sluice/store/connect.ts';
import type { ClaimedChunk } from '@sluice/store/jobs/chunks.ts';

/** How far a chunk is. The job hears of it whenever the chunk's lease is renewed. */
export function createProgress(
  { chunks, jobs: { imports }, applications }: Pick<Store, 'chunks' | 'jobs' | 'applications'>,
  { id, fence, job, application, counted: before }: ClaimedChunk,
  leaseMs: number,
) {
  /** Lines that are done, and how many of them the job knows of. */
  let lines = 0;
  let counted = before;

  return {
    note(done: number): void {
      lines = done;
    },

    counted: () => counted,

    /** False when the chunk is another worker's, or the import has ended. */
    async renew(): Promise<boolean> {
      const done = Math.max(lines, counted);
      // First what a later worker must know, or lines would be counted twice.
      if (!(await chunks.renew(id, fence, done, leaseMs))) return false;
      const advance = { done: done - counted, accepted: 0, rejected: 0, released: 0 };
      counted = done;
      const isWanted = await imports.advance(job, advance);
      return isWanted && (await applications.existing([application])).has(application);
    },
  };
}
