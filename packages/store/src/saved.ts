import { type Db, type Document, ObjectId } from 'mongodb';
import { isDuplicate } from './faults.ts';

/** What members of an application keep under a name. */
export interface Saved {
  id: string;
  name: string;
  createdAt: Date;
  /** Username. */
  createdBy: string;
}

/** Of what names are unique and the limit holds: an application, or a user in it. */
export interface SavedScope {
  application: ObjectId;
  user?: ObjectId | null;
}

const toSaved = <One extends Saved>({ _id, application: _, ...fields }: Document) =>
  ({ id: _id.toHexString(), ...fields }) as unknown as One;

/** Named things of a collection, in which an index keeps names unique. */
export function savedStore<One extends Saved>(db: Db, name: string) {
  const saved = db.collection(name);

  return {
    /** `taken`: another one has this name. `full`: there are `limit` already. */
    async create(
      scope: SavedScope,
      fields: Omit<One, 'id' | 'createdAt'>,
      limit: number,
    ): Promise<One | 'taken' | 'full'> {
      const made = { _id: new ObjectId(), ...scope, ...fields, createdAt: new Date() };
      try {
        await saved.insertOne(made);
      } catch (error) {
        if (isDuplicate(error)) return 'taken';
        throw error;
      }
      // Counted afterwards, so that of several at once none slips through.
      if ((await saved.countDocuments(scope)) <= limit) return toSaved<One>(made);
      await saved.deleteOne({ _id: made._id });
      return 'full';
    },

    /** By name. */
    async list(filter: Document): Promise<One[]> {
      const found = saved.find(filter).sort({ name: 1 });
      return (await found.toArray()).map(toSaved<One>);
    },

    /** Undefined when there is none with this id among them. */
    async get(filter: Document, id: string): Promise<One | undefined> {
      const found = ObjectId.isValid(id) ? await saved.findOne({ ...filter, _id: new ObjectId(id) }) : null;
      return found ? toSaved<One>(found) : undefined;
    },

    /** False when there is none with this id among them. */
    async remove(filter: Document, id: string): Promise<boolean> {
      if (!ObjectId.isValid(id)) return false;
      return (await saved.deleteOne({ ...filter, _id: new ObjectId(id) })).deletedCount === 1;
    },
  };
}
