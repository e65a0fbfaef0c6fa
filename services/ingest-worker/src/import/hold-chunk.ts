import { repeat } from '@sluice/shared/repeat.ts';
import type { TakenChunk } from '@sluice/shared/store/chunks.ts';
import type { Store } from '@sluice/shared/store/connect.ts';

/** A worker that is not heard of for so long has lost its chunk. */
export const leaseMs = 15_000;
const beatMs = 1_000;

/** The import has ended, or another worker has the chunk. */
export class Lost extends Error {}

/** Keeps a chunk as long as it is worked on, and tells how far it is. */
export function holdChunk(
  { chunks, jobs: { imports }, applications }: Pick<Store, 'chunks' | 'jobs' | 'applications'>,
  { id, fence, job, application, counted: before }: TakenChunk,
) {
  let isLost = false;
  /** When it was last sure to be this worker's; it may have been stopped since. */
  let heldAt = performance.now();
  /** Lines that are done, and how many of them the job knows of. */
  let lines = 0;
  let counted = before;
  let beating = Promise.resolve();

  async function beat(): Promise<void> {
    const done = Math.max(lines, counted);
    const askedAt = performance.now();
    // First what a later worker must know, or lines would be counted twice.
    if (!(await chunks.beat(id, fence, done, leaseMs))) {
      isLost = true;
      return;
    }
    heldAt = askedAt;
    const advance = { done: done - counted, accepted: 0, rejected: 0, released: 0 };
    counted = done;
    const isWanted = await imports.advance(job, advance);
    const exists = (await applications.existing([application])).has(application);
    isLost = !(isWanted && exists);
  }

  function check(): void {
    if (isLost || performance.now() - heldAt > leaseMs) throw new Lost();
  }

  const stop = repeat(beatMs, () => {
    // MongoDB may be back before the lease is over.
    beating = beat().catch(() => undefined);
    return beating;
  });

  return {
    /** Throws when the chunk is not to be worked on any more. */
    check,
    /** The same, with the lines that are done so far. */
    note(done: number): void {
      lines = done;
      check();
    },
    counted: () => counted,
    /** Resolves when nothing more is told. */
    async release(): Promise<void> {
      stop();
      await beating;
    },
  };
}
