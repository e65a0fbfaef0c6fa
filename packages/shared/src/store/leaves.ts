import { type Db, ObjectId } from 'mongodb';

/** More leaves than this are not told apart any more. */
export const maxLeaves = 5_000;
/** In characters of the JSON Pointer. */
export const maxLeafLength = 1_024;

/** The leaves that occur in an application's entries but not in its schema, by first appearance. */
export interface Leaves {
  pointers: string[];
  /** True when some leaf is not in the list: there were too many, or its name is too long. */
  overflow: boolean;
}

interface LeavesDocument {
  _id: ObjectId;
  pointers: string[];
  overflow?: boolean;
}

export type LeafStore = ReturnType<typeof leafStore>;

/** One append-only list an application: a leaf is added before the first entry that has it. */
export function leafStore(db: Db) {
  const leaves = db.collection<LeavesDocument>('leaves');
  return {
    async prepare() {},

    async of(application: string): Promise<Leaves> {
      const found = await leaves.findOne({ _id: new ObjectId(application) });
      return { pointers: found?.pointers ?? [], overflow: found?.overflow === true };
    },

    /** Appends those that are new, in this order. Safe for several processes at once. */
    async add(application: string, pointers: string[]): Promise<{ overflow: boolean }> {
      const short = pointers.filter((pointer) => pointer.length <= maxLeafLength);
      const known = { $ifNull: ['$pointers', []] };
      const isNew = { $not: [{ $in: ['$$this', known] }] };
      const all = { $concatArrays: [known, { $filter: { input: { $literal: short }, cond: isNew } }] };
      const updated = await leaves.findOneAndUpdate(
        { _id: new ObjectId(application) },
        [
          {
            $set: {
              pointers: { $slice: [all, maxLeaves] },
              overflow: {
                $or: [
                  { $eq: ['$overflow', true] },
                  short.length < pointers.length,
                  { $gt: [{ $size: all }, maxLeaves] },
                ],
              },
            },
          },
        ],
        { upsert: true, returnDocument: 'after', projection: { overflow: 1 } },
      );
      return { overflow: updated?.overflow === true };
    },

    async remove(application: string): Promise<void> {
      await leaves.deleteOne({ _id: new ObjectId(application) });
    },
  };
}
