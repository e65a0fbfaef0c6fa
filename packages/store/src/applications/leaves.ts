import { type Db, type Filter, ObjectId } from 'mongodb';
import { isDuplicate } from '../faults.ts';

/** More leaves than this are not told apart any more. */
export const maxLeaves = 5_000;
/** Nor are those beyond so many characters of all JSON Pointers together: every process has them in memory. */
export const maxLeafCharacters = 250_000;
/** In characters of the JSON Pointer. */
export const maxLeafLength = 1_024;

/** Stands among pointers for numbers beyond 2^53: as a pointer it means the payload itself, which is no leaf. */
export const largeNumbers = '';

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
  /** Whether some entry may have a number beyond 2^53, up or down; not known any more once the list is closed. */
  hasLarge: boolean;
}

interface LeavesDocument {
  _id: ObjectId;
  pointers: string[];
  overflow?: boolean;
  closed?: boolean;
  hasLarge?: boolean;
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
    { pointers, hasLarge, ...others }: Leaves,
  ): Promise<boolean> {
    const _id = new ObjectId(application);
    // It is only ever set, so two processes at once cannot take it back.
    const extent = { ...others, ...(hasLarge && { hasLarge }) };
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
    async of(application: string): Promise<Leaves> {
      return toLeaves(await read(application));
    },

    /** Appends those that are new, in this order, as far as there is room. Safe for several processes at once. */
    async add(application: string, pointers: string[]): Promise<Extent> {
      for (;;) {
        const found = await read(application);
        const before = toLeaves(found);
        const more = extend(before, pointers);
        const { overflow, closed } = more;
        const isSame =
          more.pointers.length === 0 &&
          overflow === before.overflow &&
          closed === before.closed &&
          more.hasLarge === before.hasLarge;
        if (isSame || (await append(application, found, more))) return { overflow, closed };
      }
    },
  };
}

const toLeaves = (found: LeavesDocument | null): Leaves => ({
  pointers: found?.pointers ?? [],
  overflow: found?.overflow === true,
  closed: found?.closed === true,
  hasLarge: found?.hasLarge === true,
});

/** Those that are to be appended, and what is to be said of the list then. */
function extend({ pointers, overflow, closed, hasLarge }: Leaves, more: string[]): Leaves {
  const known = new Set(pointers);
  const added: string[] = [];
  let characters = pointers.reduce((sum, { length }) => sum + length, 0);
  for (const pointer of more) {
    hasLarge ||= pointer === largeNumbers;
    if (known.has(pointer) || pointer === largeNumbers) continue;
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
  return { pointers: added, overflow, closed, hasLarge };
}
