import { type Binary, type ClientSession, type Db, ObjectId } from 'mongodb';
import { type EntryId, fromKey } from '../entries/entry-id.ts';
import { archivesName } from './archives.ts';

/** An entry that was deleted while its application had an archive. */
interface RemovalDocument {
  _id: ObjectId;
  /** Of the entry. An import that was repeated can store a deleted entry again. */
  key: Binary;
  application: ObjectId;
  /** Version of `deletions` that the deletion made. */
  version: number;
  at: Date;
}

export const removalsName = 'removals';

export type RemovalStore = ReturnType<typeof removalStore>;

/** Deleted entries that archives may have. */
export function removalStore(db: Db) {
  const removals = db.collection<RemovalDocument>(removalsName);

  return {
    /** Notes deleted entries, in the transaction that deletes them. */
    async note(session: ClientSession, application: string, keys: Binary[], version: number): Promise<void> {
      const own = { application: new ObjectId(application) };
      const archived = await db.collection(archivesName).findOne(own, { session, projection: { _id: 1 } });
      if (!archived || keys.length === 0) return;
      const at = new Date();
      await removals.insertMany(
        keys.map((key) => ({ _id: new ObjectId(), key, ...own, version, at })),
        { session, ordered: false },
      );
    },

    /** Those of later versions than `after`, up to `until`, in the order of their ids. */
    async *between(
      application: string,
      after: number,
      until: number,
    ): AsyncGenerator<{ id: EntryId; at: Date }> {
      const version = { $gt: after, $lte: until };
      const found = removals
        .find({ application: new ObjectId(application), version })
        .sort({ key: 1, version: 1 });
      for await (const { key, at } of found.allowDiskUse()) yield { id: fromKey(key).id, at };
    },

    /** Removes what all archives of the application have. */
    async forget(application: string, until: number): Promise<void> {
      await removals.deleteMany({ application: new ObjectId(application), version: { $lte: until } });
    },
  };
}
