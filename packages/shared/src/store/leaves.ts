import { type Db, type Filter, ObjectId } from 'mongodb';
import { isDuplicate } from './faults.ts';

/** More leaves than this are not told apart any more. */
export const maxLeaves = 5_000;
/** Nor are those beyond so many characters of all JSON Pointers together: every process has them in memory. */
export const maxLeafCharacters = 250_000;
/** In characters of the JSON Pointer. */
export const maxLeafLength = 1_024;

/** Whether all leaves are on record. */
export interface Extent {
  /** True when some leaf is not in the list: there were too many, or its name is too long. */
  overflow: boolean;
  /** True when there were too many: none is added any more. */
  closed: boolean;
}

/** The leaves that occur in an application's entries but not in its schema, by first appearance. */
export interface Leaves extends Extent {
  pointers: string[];
}

interface LeavesDocument {
  _id: ObjectId;
  pointers: string[];
  overflow?: boolean;
  closed?: boolean;
}

export type LeafStore = ReturnType<typeof leafStore>;

/** One append-only list an application: a leaf is added before the first entry that has it. */
export function leafStore(db: Db) {
  const leaves = db.collection<LeavesDocument>('leaves');

  async function read(application: string): Promise<LeavesDocument | null> {
    return leaves.findOne({ _id: new ObjectId(application) });
  }

  /** False where another process changed it since. */
  async function append(
    application: string,
    found: LeavesDocument | null,
    { pointers, ...extent }: Leaves,
  ): Promise<boolean> {
    const _id = new ObjectId(application);
    if (found) {
      const { overflow = null, closed = null } = found;
      const same = { _id, pointers: { $size: found.pointers.length }, overflow, closed };
      const { matchedCount } = await leaves.updateOne(same as Filter<LeavesDocument>, {
        $push: { pointers: { $each: pointers } },
        $set: extent,
      });
      return matchedCount === 1;
    }
    try {
      await leaves.insertOne({ _id, pointers, ...extent });
      return true;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  }

  return {
    async prepare() {},

    async of(application: string): Promise<Leaves> {
      return toLeaves(await read(application));
    },

    /** Appends those that are new, in this order, as far as there is room. Safe for several processes at once. */
    async add(application: string, pointers: string[]): Promise<Extent> {
      for (;;) {
        const found = await read(application);
        const before = toLeaves(found);
        const { pointers: added, overflow, closed } = extend(before, pointers);
        const isSame = added.length === 0 && overflow === before.overflow && closed === before.closed;
        if (isSame || (await append(application, found, { pointers: added, overflow, closed })))
          return { overflow, closed };
      }
    },

    async remove(application: string): Promise<void> {
      await leaves.deleteOne({ _id: new ObjectId(application) });
    },
  };
}

const toLeaves = (found: LeavesDocument | null): Leaves => ({
  pointers: found?.pointers ?? [],
  overflow: found?.overflow === true,
  closed: found?.closed === true,
});

/** Those that are to be appended, and what is to be said of the list then. */
function extend({ pointers, overflow, closed }: Leaves, more: string[]): Leaves {
  const known = new Set(pointers);
  const added: string[] = [];
  let characters = pointers.reduce((sum, { length }) => sum + length, 0);
  for (const pointer of more) {
    if (known.has(pointer)) continue;
    const isShort = pointer.length <= maxLeafLength;
    closed ||= isShort && (known.size === maxLeaves || characters + pointer.length > maxLeafCharacters);
    if (closed || !isShort) {
      overflow = true;
      continue;
    }
    known.add(pointer);
    added.push(pointer);
    characters += pointer.length;
  }
  return { pointers: added, overflow, closed };
}
