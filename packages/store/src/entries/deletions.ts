import { within } from '@sluice/shared/deadline.ts';
import { type Binary, type ClientSession, type Db, type Filter, ObjectId } from 'mongodb';
import type { ApplicationDocument } from '../applications/application-document.ts';
import { inTransaction } from '../in-transaction.ts';
import { fromNow, isFree } from '../lease.ts';
import { type DeletionsDocument, deletionGuard, deletionsName } from './deletion-guard.ts';
import type { EntryDocument } from './entry-document.ts';
import { type EntryId, idOfKey, toKey } from './entry-id.ts';
import type { MilestoneDocument } from './milestone-document.ts';
import { nearKeys } from './near-keys.ts';
import { foldMilestones, type RemovedEntry, subtractRemoved } from './removed-entries.ts';

/** What else the transaction of a deletion writes: `before` it deletes, and `after`, with the number and the keys of the entries. Throw to delete none. */
export interface Beside {
  before?(session: ClientSession): Promise<void>;
  after?(session: ClientSession, deleted: number, keys: Binary[]): Promise<void>;
  /** The entries stay in an archive, where exports read them: so nobody hears of a deletion. */
  isMove?: boolean;
  /** The transaction to use; absent: a new one. */
  session?: ClientSession;
}

/** Hears which entries are deleted, in the transaction that deletes them. */
export type OnDeleted = (
  session: ClientSession,
  application: string,
  keys: Binary[],
  version: number,
) => Promise<void>;

/** Deletes entries, so that what milestones count and what exports say stays true. See docs/decisions/0010-milestones.md. */
export function deletionStore(db: Db, timeoutMs: number, onDeleted?: OnDeleted) {
  const deletions = db.collection<DeletionsDocument>(deletionsName);
  const guard = deletionGuard(db);
  const entries = db.collection<EntryDocument>('entries');
  const applications = db.collection<ApplicationDocument>('applications');

  async function removeIn(
    session: ClientSession,
    application: string,
    queries: Filter<EntryDocument>[],
    isMove = false,
  ): Promise<Binary[]> {
    const guarded = await deletions.findOneAndUpdate(
      { _id: new ObjectId(application) },
      { $inc: { version: 1, count: isMove ? 0 : 1 } },
      { upsert: true, returnDocument: 'after', session },
    );
    const removed: RemovedEntry[] = [];
    for (const query of queries) {
      const found = entries.find(query, { session }).sort({ _id: 1 });
      const sized = found.project<RemovedEntry>({ by: 1, once: 1, bytes: { $bsonSize: '$payload' } });
      const some = await sized.toArray();
      const [first, last] = [some[0]?._id, some.at(-1)?._id];
      if (!first || !last) continue;
      await entries.deleteMany({ $and: [query, { _id: { $gte: first, $lte: last } }] }, { session });
      removed.push(...some);
    }
    if (removed.length === 0) return [];
    await subtractRemoved(db, session, application, removed);
    const keys = removed.map(({ _id }) => _id);
    if (!isMove) await onDeleted?.(session, application, keys, (guarded as DeletionsDocument).version);
    // From here on, lists of the application look for deleted entries.
    await applications.updateOne(
      { _id: new ObjectId(application), hasDeletions: { $ne: true } },
      { $set: { hasDeletions: true } },
      { session },
    );
    return keys;
  }

  /** Deletes the entries of an application that the query finds, all or none; returns how many. They should be few thousands. */
  const remove = (application: string, query: Filter<EntryDocument>, beside?: Beside): Promise<number> =>
    removeAll(application, [query], beside);

  const removeAll = (
    application: string,
    queries: Filter<EntryDocument>[],
    beside: Beside = {},
  ): Promise<number> =>
    inTransaction(
      db,
      async (session) => {
        await beside.before?.(session);
        const keys = await removeIn(session, application, queries, beside.isMove);
        await beside.after?.(session, keys.length, keys);
        return keys.length;
      },
      beside.session,
    );

  return {
    remove,

    /** The same for those of these entries that are stored. */
    removeKeys: (application: string, keys: Binary[]): Promise<number> =>
      removeAll(application, nearKeys(keys)),

    /** False when there is no such entry. */
    async removeOne(application: string, id: EntryId): Promise<boolean> {
      const query = { _id: toKey(application, id) };
      if (!(await entries.findOne(query, { projection: { _id: 1 } }))) return false;
      const removing = remove(application, query);
      return (await within(timeoutMs, 'the deletion was not confirmed in time', removing)) === 1;
    },

    /** The same for entries that may be in archives alone; these are only noted as deleted. */
    removeArchived: (application: string, ids: EntryId[], beside: Beside): Promise<number> =>
      inTransaction(
        db,
        async (session) => {
          await beside.before?.(session);
          const keys = ids.map((id) => toKey(application, id));
          const stored = new Set((await removeIn(session, application, nearKeys(keys))).map(idOfKey));
          const archived = keys.filter((key) => !stored.has(idOfKey(key)));
          const { version } = await guard.touch(application, session);
          await onDeleted?.(session, application, archived, version);
          await beside.after?.(session, keys.length, keys);
          return keys.length;
        },
        beside.session,
      ),

    touch: guard.touch,

    /** Gives one worker the expired entries of an application for some time, or for longer; false while another has them. */
    async lease(application: string, holder: string, leaseMs: number): Promise<boolean> {
      const mayTake = { $or: [{ $eq: ['$holder', holder] }, isFree] };
      const taken = {
        version: { $ifNull: ['$version', 0] },
        holder: { $cond: [mayTake, holder, '$holder'] },
        leaseUntil: { $cond: [mayTake, fromNow(leaseMs), '$leaseUntil'] },
      };
      const found = await deletions.findOneAndUpdate({ _id: new ObjectId(application) }, [{ $set: taken }], {
        upsert: true,
        returnDocument: 'after',
      });
      return found?.holder === holder;
    },

    /** Applications with more than `most` milestones that deletions still have to correct. */
    async scattered(most: number): Promise<string[]> {
      const milestones = db.collection<MilestoneDocument>('milestones');
      const lowest = new ObjectId('0'.repeat(24));
      const found = milestones.aggregate<{ _id: ObjectId }>([
        { $match: { application: { $gte: lowest }, removed: { $gt: 0 } } },
        { $group: { _id: '$application', count: { $sum: 1 } } },
        { $match: { count: { $gt: most } } },
      ]);
      return (await found.toArray()).map(({ _id }) => _id.toHexString());
    },

    /** Subtracts deleted entries from the milestones themselves. */
    fold: (application: string): Promise<void> =>
      guard.change(application, (session) => foldMilestones(db, session, application)),
  };
}
