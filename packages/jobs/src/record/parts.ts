import { type Binary, type Db, ObjectId } from 'mongodb';

interface PartDocument {
  _id: ObjectId;
  job: ObjectId;
  data: Binary | Buffer;
  note?: unknown;
}

export type PartStore = ReturnType<typeof partStore>;

/**
 * The bytes of files, compressed with zstd, in a document per part.
 * A part belongs to the file once the job's record has its id. Before, `sweep` removes the part.
 */
export function partStore(db: Db) {
  const parts = db.collection<PartDocument>('parts');
  return {
    /** Returns the id of the part. `data` and `note` (plain data) have at most 15 MB together. */
    async put(job: string, data: Buffer, note?: unknown): Promise<string> {
      const _id = new ObjectId();
      await parts.insertOne({ _id, job: new ObjectId(job), data, note });
      return _id.toHexString();
    },

    async get(id: string): Promise<Buffer | undefined> {
      const found = await parts.findOne({ _id: new ObjectId(id) }, { promoteBuffers: true });
      return found?.data as Buffer | undefined;
    },

    async haveAll(ids: string[]): Promise<boolean> {
      const found = parts.countDocuments({ _id: { $in: ids.map((id) => new ObjectId(id)) } });
      return (await found) === ids.length;
    },

    /** The notes of these parts, in order, without parts that have none. */
    async notes(ids: string[]): Promise<unknown[]> {
      const found = parts.find(
        { _id: { $in: ids.map((id) => new ObjectId(id)) }, note: { $exists: true } },
        { projection: { note: 1 } },
      );
      const notes = new Map<string, unknown>();
      for await (const { _id, note } of found) notes.set(_id.toHexString(), note);
      return ids.flatMap((id) => (notes.has(id) ? [notes.get(id)] : []));
    },

    /** Ids of jobs that have parts older than `before` but no record. */
    async orphaned(before: Date, limit: number): Promise<string[]> {
      const found = parts.aggregate<{ _id: ObjectId }>([
        { $group: { _id: '$job', oldest: { $min: '$_id' } } },
        { $match: { oldest: { $lt: ObjectId.createFromTime(before.getTime() / 1_000) } } },
        {
          $lookup: {
            from: 'jobs',
            localField: '_id',
            foreignField: '_id',
            as: 'record',
            pipeline: [{ $project: { _id: 1 } }],
          },
        },
        { $match: { record: { $size: 0 } } },
        { $limit: limit },
      ]);
      return (await found.toArray()).map(({ _id }) => _id.toHexString());
    },

    async remove(...ids: string[]): Promise<void> {
      await parts.deleteMany({ _id: { $in: ids.map((id) => new ObjectId(id)) } });
    },

    /** Removes the parts of a job except those named. */
    async sweep(job: string, keep: string[] = []): Promise<void> {
      await parts.deleteMany({ job: new ObjectId(job), _id: { $nin: keep.map((id) => new ObjectId(id)) } });
    },
  };
}
