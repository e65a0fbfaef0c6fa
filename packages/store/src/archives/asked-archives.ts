import { type Db, ObjectId } from 'mongodb';
import { deletionGuard } from '../entries/deletion-guard.ts';
import type { EntryId } from '../entries/entry-id.ts';
import { isDuplicate } from '../faults.ts';
import { type ArchiveDocument, type ArchiveRecord, toArchive } from './archive-records.ts';
import { archivesName } from './archives.ts';

/** A question is noted this often at most. */
const notedMs = 60_000;

export type AskedArchives = ReturnType<typeof askedArchives>;

/**
 * Archives that questions read: an application has one as long as someone asks.
 * Their runs are made when a question needs them.
 */
export function askedArchives(db: Db) {
  const archives = db.collection<ArchiveDocument>(archivesName);
  const guard = deletionGuard(db);

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
        state: 'active',
        covers: { announced: 0 },
        run: 1,
        failures: 0,
        entries: 0,
        bytes: 0,
        manifests: 0,
        dueAt: new Date(0),
        createdAt: now,
        lastModifiedAt: now,
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

    /** Forgets the archive of an application; its files are then removed. */
    async forget(application: string): Promise<void> {
      await archives.deleteMany({ application: new ObjectId(application), asked: { $exists: true } });
    },

    /** Forgets the archives that nobody asked for so many ms, and returns the others. */
    async inUse(unaskedMs: number): Promise<ArchiveRecord[]> {
      await archives.deleteMany({ asked: { $lt: new Date(Date.now() - unaskedMs) } });
      return (await archives.find({ asked: { $exists: true } }).toArray()).map(toArchive);
    },
  };
}
