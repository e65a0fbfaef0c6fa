import { type ClientSession, type Db, ObjectId } from 'mongodb';
import { isDuplicate } from '../faults.ts';
import { inTransaction } from '../in-transaction.ts';

/**
 * The document of an application that deletions write, and all work that must not overlap with them.
 * MongoDB lets the first writer continue, and the other begins again.
 */
export interface DeletionsDocument {
  _id: ObjectId;
  /** Raised by whoever writes it. */
  version: number;
  /** How often entries were deleted. */
  count?: number;
  /** When entries were last announced that are older than when they are stored. */
  backdatedAt?: Date;
  /** The ingest worker that removes expired entries, until then. */
  holder?: string;
  leaseUntil?: Date;
}

export const deletionsName = 'deletions';

export function deletionGuard(db: Db) {
  const deletions = db.collection<DeletionsDocument>(deletionsName);

  async function version(application: string, session?: ClientSession): Promise<number> {
    const found = await deletions.findOne({ _id: new ObjectId(application) }, { session });
    return found?.version ?? 0;
  }

  return {
    version,

    /** How often entries of the application were deleted, and its version. Deletions that do not see what was written before begin again. */
    async touch(application: string, session?: ClientSession): Promise<{ count: number; version: number }> {
      const touched = await deletions.findOneAndUpdate(
        { _id: new ObjectId(application) },
        { $inc: { version: 1 } },
        { upsert: true, returnDocument: 'after', session },
      );
      const { count = 0, version } = touched as DeletionsDocument;
      return { count, version };
    },

    /** Notes that entries are to be stored which are older than that, and does `work` in the same transaction. Returns the version. */
    async backdate(
      application: string,
      work: (session: ClientSession, version: number) => Promise<void>,
    ): Promise<number> {
      const note = { $inc: { version: 1 }, $currentDate: { backdatedAt: true as const } };
      const make = async (session: ClientSession) => {
        const options = { upsert: true, returnDocument: 'after', session } as const;
        const found = await deletions.findOneAndUpdate({ _id: new ObjectId(application) }, note, options);
        const { version } = found as DeletionsDocument;
        await work(session, version);
        return version;
      };
      const makeAll = () => inTransaction(db, make);
      // Another one may have made the document meanwhile.
      return makeAll().catch((error) => {
        if (!isDuplicate(error)) throw error;
        return makeAll();
      });
    },

    /** Does `work` in a transaction. Guarded work that began before is refused. */
    change: (application: string, work: (session: ClientSession) => Promise<void>): Promise<void> =>
      inTransaction(db, async (session) => {
        await deletions.updateOne(
          { _id: new ObjectId(application) },
          { $inc: { version: 1 } },
          { upsert: true, session },
        );
        await work(session);
      }),

    /** Does `work` in a transaction, unless there was a deletion since version `before`, or other guarded work: then false. */
    async unlessChanged(
      application: string,
      before: number,
      work: (session: ClientSession) => Promise<void>,
    ): Promise<boolean> {
      const _id = new ObjectId(application);
      const make = async (session: ClientSession) => {
        const options = { upsert: before === 0, session };
        const met = await deletions.updateOne({ _id, version: before }, { $inc: { version: 1 } }, options);
        if (met.matchedCount + met.upsertedCount === 0) return false;
        await work(session);
        return true;
      };
      try {
        return await inTransaction(db, make);
      } catch (error) {
        if (isDuplicate(error) && (await version(application)) !== before) return false;
        throw error;
      }
    },
  };
}
