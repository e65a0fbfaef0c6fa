import { type Binary, type Db, ObjectId } from 'mongodb';

interface PartDocument {
  _id: ObjectId;
  job: ObjectId;
  data: Binary | Buffer;
}

export type PartStore = ReturnType<typeof partStore>;

/**
 * The bytes of files, a document a part, compressed with zstd. A part counts only once its id is in the
 * record of its job: until then it is an orphan, which `sweep` removes.
 */
export function partStore(db: Db) {
  const parts = db.collection<PartDocument>('parts');
  return {
    async prepare() {
      await parts.createIndex({ job: 1 });
    },

    /** Returns the id of the part. `data` is at most 15 MB. */
    async put(job: string, data: Buffer): Promise<string> {
      const _id = new ObjectId();
      await parts.insertOne({ _id, job: new ObjectId(job), data });
      return _id.toHexString();
    },

    async get(id: string): Promise<Buffer | undefined> {
      const found = await parts.findOne({ _id: new ObjectId(id) }, { promoteBuffers: true });
      return found?.data as Buffer | undefined;
    },

    /** Removes the parts of a job except those named. */
    async sweep(job: string, keep: string[] = []): Promise<void> {
      await parts.deleteMany({ job: new ObjectId(job), _id: { $nin: keep.map((id) => new ObjectId(id)) } });
    },
  };
}
