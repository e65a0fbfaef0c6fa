import { fromNow } from '@sluice/store/lease.ts';
import { type Collection, ObjectId } from 'mongodb';
import type { ChunkDocument } from './chunk-records.ts';

/** As long as a worker that was cut off may still be writing. */
const writingMs = 60_000;
const isIdle = { $not: { $gt: ['$leaseUntil', fromNow(-writingMs)] } };

/** Milestones stay below the times of chunks; a chunk gives its time up once nobody can be writing with it. */
export const chunkTimes = (chunks: Collection<ChunkDocument>) => ({
  /**
   * Takes from the chunks of a failed job their time, once nobody can be writing with it any more: milestones need
   * not wait for a retry. Whoever takes such a chunk gives it another.
   */
  async dropTimes(job: string): Promise<void> {
    const open = { job: new ObjectId(job), state: 'open', stamp: { $exists: true } } as const;
    await chunks.updateMany({ ...open, $expr: isIdle }, [
      { $set: { earlier: { $concatArrays: [{ $ifNull: ['$earlier', []] }, ['$stamp']] } } },
      { $unset: 'stamp' },
    ]);
  },

  /** Removes the chunks of an ended job that nobody can be writing any more. */
  async removeIdle(job: string): Promise<void> {
    await chunks.deleteMany({ job: new ObjectId(job), $expr: isIdle });
  },
});
