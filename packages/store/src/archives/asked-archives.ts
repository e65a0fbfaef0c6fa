import { type Db, type Filter, ObjectId } from 'mongodb';
import { deletionGuard } from '../entries/deletion-guard.ts';
import type { EntryId } from '../entries/entry-id.ts';
import { isDuplicate } from '../faults.ts';
import { hasMatched } from '../lease.ts';
import {
  type ArchiveDocument,
  type ArchiveRecord,
  archivesName,
  oneArchive,
  toArchive,
  withoutRuns,
} from './archive-records.ts';
import type { RemovalStore } from './removals.ts';

/** A question is noted this often at most. */
const notedMs = 60_000;

export type AskedArchives = ReturnType<typeof askedArchives>;

/**
 * Archives that questions read: an application has one as long as someone asks.
 * Their runs are made when a question needs them.
 */
export function askedArchives(db: Db, removals: Pick<RemovalStore, 'forget'>) {
  const archives = db.collection<ArchiveDocument>(archivesName);
  const guard = deletionGuard(db);

  async function forgetWhere(which: Filter<ArchiveDocument>): Promise<string | undefined> {
    const found = await archives.findOneAndDelete(which);
    if (!found) return undefined;
    const { application } = found;
    // An archive that is made meanwhile has no entry that was deleted before.
    const { version } = await guard.touch(application.toHexString());
    if (!(await archives.findOne({ application }))) await removals.forget(application.toHexString(), version);
    return found._id.toHexString();
  }

  return {
    /** Notes that someone asks. A new archive has no run yet. */
    async ask(application: string): Promise<ArchiveRecord> {
      const own = { application: new ObjectId(application), asked: { $exists: true } } as const;
      const known = await archives.findOne(own);
      const now = new Date();
      if (known?.asked && now.getTime() - known.asked.getTime() < notedMs) return toArchive(known);
      const made: Omit<ArchiveDocument, '_id' | 'application' | 'asked'> = {
        to: { kind: 'folder' },
        format: 'parquet',
        every: '1d',
        from: 'beginning',
        meta: ['source', 'key'],
        createdBy: '',
        covers: { announced: 0 },
        ...withoutRuns(),
      };
      const note = () =>
        archives.findOneAndUpdate(
          own,
          { $set: { asked: now }, $setOnInsert: made },
          { upsert: true, returnDocument: 'after' },
        );
      // Another one may have made it meanwhile.
      const found = await note().catch((error) => {
        if (!isDuplicate(error)) throw error;
        return note();
      });
      return toArchive(found as ArchiveDocument);
    },

    /** Whether the runs have all entries up to `newest`, and nothing was deleted or brought with old times since. */
    async isCurrent({ application, covers }: ArchiveRecord, newest: EntryId | undefined): Promise<boolean> {
      if (newest !== undefined && !(covers.until !== undefined && newest <= covers.until)) return false;
      return (await guard.version(application)) <= covers.announced;
    },

    /** Ends a merge, whose manifest takes the place of `replaced` ones. False: its lease is lost, or the archive is gone. */
    endMerge: (
      { id, application }: Pick<ArchiveRecord, 'id' | 'application'>,
      { merge, fence, replaced }: { merge: number; fence: number; replaced: number },
    ): Promise<boolean> =>
      hasMatched(
        archives.updateOne(
          { ...oneArchive(application, id), 'compaction.fence': fence },
          { $set: { merges: merge }, $inc: { manifests: 1 - replaced } },
        ),
      ),

    /** Forgets the archive of an application, whose files may then be removed. Returns its id. */
    forget: (application: string): Promise<string | undefined> =>
      forgetWhere({ application: new ObjectId(application), asked: { $exists: true } }),

    /** Forgets the archives that nobody asked for so many ms, and returns the others. */
    async inUse(unaskedMs: number): Promise<ArchiveRecord[]> {
      const unasked = { asked: { $lt: new Date(Date.now() - unaskedMs) } };
      while (await forgetWhere(unasked));
      return (await archives.find({ asked: { $exists: true } }).toArray()).map(toArchive);
    },
  };
}
