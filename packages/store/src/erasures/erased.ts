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

/** So many hashes of a restored erasure go into one document. */
const hashesAtOnce = 50_000;

export type ErasedStore = ReturnType<typeof erasedStore>;

/** The application and the job of an erasure. */
export interface ErasureName {
  application: string;
  id: string;
}

/** What erasures removed, as hashes, so that a restored backup loses it again. */
export function erasedStore(db: Db) {
  const erased = db.collection<ErasedDocument>(erasedName);
  const own = ({ application, id }: ErasureName) => ({
    application: new ObjectId(application),
    erasure: new ObjectId(id),
  });

  return {
    /** Notes what is removed, in the same transaction. */
    async note({ application, id }: ErasureName, ids: string[], session: ClientSession): Promise<void> {
      if (ids.length === 0) return;
      const document = {
        _id: new ObjectId(),
        ...own({ application, id }),
        at: new Date(),
        hashes: new Binary(Buffer.concat(ids.map((one) => erasedHash(application, one)))),
      };
      await erased.insertOne(document, { session });
    },

    /** The hashes of an erasure, some thousand at a time. */
    async *hashesOf(erasure: ErasureName): AsyncGenerator<Buffer> {
      for await (const { hashes } of erased.find(own(erasure)).sort({ _id: 1 }))
        yield Buffer.from(hashes.buffer);
    },

    /** Takes over the hashes of an erasure that a restored backup does not know. */
    async adopt(erasure: ErasureName, hashes: Buffer): Promise<void> {
      await erased.deleteMany(own(erasure));
      const bytes = hashesAtOnce * erasedHashBytes;
      for (let from = 0; from < hashes.length; from += bytes)
        await erased.insertOne({
          _id: new ObjectId(),
          ...own(erasure),
          at: new Date(),
          hashes: new Binary(hashes.subarray(from, from + bytes)),
        });
    },
  };
}
