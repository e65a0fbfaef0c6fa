import { hash } from 'node:crypto';
import { Binary, type ClientSession, type Db, ObjectId } from 'mongodb';

/** What one transaction of an erasure removed. */
export interface ErasedDocument {
  _id: ObjectId;
  application: ObjectId;
  /** The job. */
  erasure: ObjectId;
  at: Date;
  /** Of the ids, one after the other; see `erasedHash`. */
  hashes: Binary;
}

export const erasedName = 'erased';
export const erasedHashBytes = 16;

/** Names an entry or a refused upload without its id: an id has a time. */
export const erasedHash = (application: string, id: string): Buffer =>
  hash('sha256', `${application}${id}`, 'buffer').subarray(0, erasedHashBytes);

export type ErasedStore = ReturnType<typeof erasedStore>;

/** What erasures removed, as hashes, so that a restored backup loses it again. */
export function erasedStore(db: Db) {
  const erased = db.collection<ErasedDocument>(erasedName);

  return {
    /** Notes what is removed, in the same transaction. */
    async note(
      { application, id }: { application: string; id: string },
      ids: string[],
      session: ClientSession,
    ): Promise<void> {
      if (ids.length === 0) return;
      const document = {
        _id: new ObjectId(),
        application: new ObjectId(application),
        erasure: new ObjectId(id),
        at: new Date(),
        hashes: new Binary(Buffer.concat(ids.map((one) => erasedHash(application, one)))),
      };
      await erased.insertOne(document, { session });
    },

    /** The hashes of an erasure, some thousand at a time. */
    async *hashesOf({ application, id }: { application: string; id: string }): AsyncGenerator<Buffer> {
      const own = { application: new ObjectId(application), erasure: new ObjectId(id) };
      for await (const { hashes } of erased.find(own).sort({ _id: 1 })) yield Buffer.from(hashes.buffer);
    },
  };
}
