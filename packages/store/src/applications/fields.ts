import { type ClientSession, type Db, type Filter, ObjectId } from 'mongodb';
import { isDuplicate } from '../faults.ts';

/** More fields than this are not recorded. */
export const maxFields = 5_000;
/** Nor are fields beyond this number of characters of all JSON Pointers: every process holds them in memory. */
export const maxFieldCharacters = 250_000;
/** In characters of the JSON Pointer. */
export const maxFieldLength = 1_024;

/** Marker: some entry has a number over 2^53. As a pointer it would name the payload itself, which is no field. */
export const largeNumbers = '';

/** Whether all fields are on record. */
export interface Extent {
  /** True when some field is not in the list: there were too many, or its name is too long. */
  overflow: boolean;
  /** True when there were too many fields: the list takes no more. */
  closed: boolean;
}

/** The fields that occur in an application's entries but not in its schema, by first appearance. */
export interface RecordedFields extends Extent {
  pointers: string[];
  /** Whether some entry may have a number beyond ±2^53. A closed list no longer knows. */
  hasLarge: boolean;
}

interface FieldsDocument {
  _id: ObjectId;
  pointers: string[];
  overflow?: boolean;
  closed?: boolean;
  hasLarge?: boolean;
}

export type FieldStore = ReturnType<typeof fieldStore>;

/** One append-only list an application: a field is added before the first entry that has it. */
export function fieldStore(db: Db) {
  const fields = db.collection<FieldsDocument>('fields');

  async function read(application: string, session?: ClientSession): Promise<FieldsDocument | null> {
    return fields.findOne({ _id: new ObjectId(application) }, { session });
  }

  /** False where another process changed it since. */
  async function append(
    application: string,
    found: FieldsDocument | null,
    { pointers, hasLarge, ...others }: RecordedFields,
    session?: ClientSession,
  ): Promise<boolean> {
    const _id = new ObjectId(application);
    // `hasLarge` is only set, never unset: two processes at once cannot undo it.
    const extent = { ...others, ...(hasLarge && { hasLarge }) };
    if (found) {
      const { overflow = null, closed = null } = found;
      const same = { _id, pointers: { $size: found.pointers.length }, overflow, closed };
      const more = { $push: { pointers: { $each: pointers } }, $set: extent };
      const { matchedCount } = await fields.updateOne(same as Filter<FieldsDocument>, more, { session });
      return matchedCount === 1;
    }
    try {
      await fields.insertOne({ _id, pointers, ...extent }, { session });
      return true;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  }

  return {
    async of(application: string): Promise<RecordedFields> {
      return toFields(await read(application));
    },

    /** Appends new fields in this order, as far as there is room. Safe for several processes at once. `session`: of a transaction. */
    async add(application: string, pointers: string[], session?: ClientSession): Promise<Extent> {
      for (;;) {
        // If another process changed the list, the transaction is over: MongoDB refuses this read, and the driver begins again.
        const found = await read(application, session);
        const before = toFields(found);
        const more = extend(before, pointers);
        const { overflow, closed } = more;
        const isSame =
          more.pointers.length === 0 &&
          overflow === before.overflow &&
          closed === before.closed &&
          more.hasLarge === before.hasLarge;
        if (isSame || (await append(application, found, more, session))) return { overflow, closed };
      }
    },
  };
}

const toFields = (found: FieldsDocument | null): RecordedFields => ({
  pointers: found?.pointers ?? [],
  overflow: found?.overflow === true,
  closed: found?.closed === true,
  hasLarge: found?.hasLarge === true,
});

/** The fields to append, and the state of the list after that. */
function extend({ pointers, overflow, closed, hasLarge }: RecordedFields, more: string[]): RecordedFields {
  const known = new Set(pointers);
  const added: string[] = [];
  let characters = pointers.reduce((sum, { length }) => sum + length, 0);
  for (const pointer of more) {
    hasLarge ||= pointer === largeNumbers;
    if (known.has(pointer) || pointer === largeNumbers) continue;
    const isShort = pointer.length <= maxFieldLength;
    closed ||= isShort && (known.size === maxFields || characters + pointer.length > maxFieldCharacters);
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
