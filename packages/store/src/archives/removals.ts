import { type Binary, type ClientSession, type Db, ObjectId } from 'mongodb';
import type { EntryDocument } from '../entries/entry-document.ts';
import { type EntryId, idOfKey } from '../entries/entry-id.ts';
import { findKeys } from '../entries/near-keys.ts';
import { archivesName } from './archive-records.ts';

/** An entry that was deleted while its application had an archive. */
export interface RemovalDocument {
  _id: ObjectId;
  /** Of the entry. An import whose worker died can store a deleted entry again. */
  key: Binary;
  application: ObjectId;
  /** Version of `deletions` that the deletion made. */
  version: number;
  at: Date;
}

export const removalsName = 'removals';

export type RemovalStore = ReturnType<typeof removalStore>;

const atOnce = 1_000;

/** Deleted entries that archives may have. */
export function removalStore(db: Db) {
  const removals = db.collection<RemovalDocument>(removalsName);
  const entries = db.collection<EntryDocument>('entries');

  /** Of some removals, those whose entries are not stored again. An entry stays in MongoDB while it has a removal: see `areNoted`. */
  async function stillGone(some: RemovalDocument[]): Promise<RemovalDocument[]> {
    const keys = some.map(({ key }) => key);
    const found = findKeys(entries, keys, { projection: { _id: 1 } });
    const stored = new Set(await Array.fromAsync(found, ({ _id }) => idOfKey(_id)));
    return some.filter(({ key }) => !stored.has(idOfKey(key)));
  }

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

    /** Those of later versions than `after`, up to `until`, in the order of their ids, but for entries that are stored again. */
    async *between(
      application: string,
      after: number,
      until: number,
    ): AsyncGenerator<{ id: EntryId; at: Date }> {
      const version = { $gt: after, $lte: until };
      const found = removals
        .find({ application: new ObjectId(application), version })
        .sort({ key: 1, version: 1 });
      let some: RemovalDocument[] = [];
      for await (const one of found.allowDiskUse()) {
        some.push(one);
        if (some.length < atOnce) continue;
        for (const { key, at } of await stillGone(some)) yield { id: idOfKey(key), at };
        some = [];
      }
      for (const { key, at } of await stillGone(some)) yield { id: idOfKey(key), at };
    },

    /** Whether one of the entries was deleted before it was stored again, and archives do not know yet. */
    async areNoted(session: ClientSession, keys: Binary[]): Promise<boolean> {
      const found = await removals.findOne({ key: { $in: keys } }, { session, projection: { _id: 1 } });
      return found !== null;
    },

    /** Removes what all archives of the application have. */
    async forget(application: string, until: number): Promise<void> {
      await removals.deleteMany({ application: new ObjectId(application), version: { $lte: until } });
    },
  };
}
