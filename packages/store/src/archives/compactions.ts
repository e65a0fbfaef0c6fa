import { type Db, ObjectId } from 'mongodb';
import { fromNow, hasMatched } from '../lease.ts';
import { type LeaseTimings, underLease } from '../under-lease.ts';
import type { ArchiveDocument, ArchiveRecord } from './archive-records.ts';
import { archivesName } from './archive-records.ts';

const usual: LeaseTimings = { leaseMs: 60_000, heartbeatMs: 5_000 };

/** `check` throws LeaseLost when the work must stop: another process may compact the archive. `fence` counts the leases. */
type Work<Result> = (check: () => void, fence: number) => Promise<Result>;

/** Leases of compactions, and of merges: of all processes one at a time replaces files of an archive. */
export function compactionStore(db: Db, { leaseMs, heartbeatMs } = usual) {
  const archives = db.collection<ArchiveDocument>(archivesName);

  return {
    /** Undefined: another process compacts the archive, or one has within `everyMs`. */
    async compact<Result>(
      { id, application }: Pick<ArchiveRecord, 'id' | 'application'>,
      everyMs: number | undefined,
      work: Work<Result>,
    ): Promise<Result | undefined> {
      const one = { _id: new ObjectId(id), application: new ObjectId(application) };
      const lastAt = { $ifNull: ['$compaction.at', '$createdAt'] };
      const isFree = { $not: { $gt: ['$compaction.leaseUntil', '$$NOW'] } };
      const isDue = { $lte: [{ $add: [lastAt, everyMs ?? 0] }, '$$NOW'] };
      const claimed = await archives.findOneAndUpdate(
        { ...one, $expr: { $and: [isFree, isDue] } },
        [
          {
            $set: {
              'compaction.fence': { $add: [{ $ifNull: ['$compaction.fence', 0] }, 1] },
              'compaction.leaseUntil': fromNow(leaseMs),
            },
          },
        ],
        { returnDocument: 'after' },
      );
      if (!claimed) return undefined;
      const { fence } = claimed.compaction as NonNullable<ArchiveRecord['compaction']>;
      const leased = { ...one, 'compaction.fence': fence };
      const renew = () =>
        hasMatched(archives.updateOne(leased, [{ $set: { 'compaction.leaseUntil': fromNow(leaseMs) } }]));
      let isDone = false;
      try {
        const result = await underLease(renew, { leaseMs, heartbeatMs }, ({ check }) => work(check, fence));
        isDone = true;
        return result;
      } finally {
        const end = { 'compaction.leaseUntil': '$$NOW', ...(isDone && { 'compaction.at': '$$NOW' }) };
        await archives.updateOne(leased, [{ $set: end }]);
      }
    },
  };
}
