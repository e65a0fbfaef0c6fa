import { type AnyBulkWriteOperation, type Binary, type ClientSession, type Db, ObjectId } from 'mongodb';
import { highestId, lowestId, toKey } from './entry-id.ts';
import { byKey, type MilestoneDocument, milestonesIn } from './milestone-document.ts';
import { type Tallied, withoutEntries } from './milestone-tally.ts';

/** Entries that were deleted between a milestone and the one before it. */
export interface Removed {
  /** The stored rank, which identifies the milestone. */
  rank: number;
  removed: number;
  removedBytes: number;
}

/** All of an application, in the order of their milestones. */
export async function removedOf(db: Db, application: string, session: ClientSession): Promise<Removed[]> {
  const found = db
    .collection<MilestoneDocument>('milestones')
    .find({ application: new ObjectId(application), removed: { $gt: 0 } }, { session });
  const fields = { _id: 0, rank: 1, removed: 1, removedBytes: 1 } as const;
  return found.sort({ rank: 1 }).project<Removed>(fields).toArray();
}

/** A milestone without the entries that were deleted since it was set. */
export function corrected<M extends { rank: number; bytes: number }>(milestone: M, all: Removed[]): M {
  const below = all.filter(({ rank }) => rank <= milestone.rank);
  return {
    ...milestone,
    rank: milestone.rank - below.reduce((sum, { removed }) => sum + removed, 0),
    bytes: milestone.bytes - below.reduce((sum, { removedBytes }) => sum + removedBytes, 0),
  };
}

/** The lowest stored rank of milestones that count at least `rank` entries that still exist. */
export function storedRank(rank: number, all: Removed[]): number {
  let gone = 0;
  for (const each of all) {
    if (each.rank - gone - each.removed >= rank) break;
    gone += each.removed;
  }
  return rank + gone;
}

/** An entry that is deleted. `bytes`: of its payload, as BSON. */
export interface RemovedEntry extends Tallied {
  bytes: number;
}

type Sums = { removed: number; removedBytes: number };
const none: Sums = { removed: 0, removedBytes: 0 };

/** Takes entries of an application out of what its milestones count, in the transaction that deletes them. They come in the order of keys. */
export async function subtractRemoved(
  db: Db,
  session: ClientSession,
  application: string,
  entries: RemovedEntry[],
): Promise<void> {
  const milestones = db.collection<MilestoneDocument>('milestones');
  const [$gte, $lte] = [toKey(application, lowestId), toKey(application, highestId)];
  const first = entries[0]?._id as Binary;
  const last = entries.at(-1)?._id as Binary;
  const before = await milestones.findOne(milestonesIn(application, { $gte, $lt: first }), {
    sort: { _id: -1 },
    hint: byKey,
    session,
  });
  const within = milestones
    .find(milestonesIn(application, { $gte: first, $lt: last }), { hint: byKey, session })
    .sort({ _id: 1 });
  const above = await within.toArray();
  // The one that counts the last entry, and the next, to which what is left of that one may go.
  const beyond = milestones
    .find(milestonesIn(application, { $gte: last, $lte }), { hint: byKey, session })
    .sort({ _id: 1 })
    .limit(2);
  above.push(...(await beyond.toArray()));
  const changes = changesOf(above, before?.rank ?? 0, entries);
  if (changes.length > 0) await milestones.bulkWrite(changes, { session });
}

/** A milestone without entries of its own is removed; the next one takes over its deletions. */
function changesOf(
  milestones: MilestoneDocument[],
  rankBefore: number,
  entries: RemovedEntry[],
): AnyBulkWriteOperation<MilestoneDocument>[] {
  const changes: AnyBulkWriteOperation<MilestoneDocument>[] = [];
  let lower = rankBefore;
  let left = none;
  let at = 0;
  for (const { _id, application, rank, removed = 0, removedBytes = 0, ...tally } of milestones) {
    const filter = { _id, application };
    const sums: Sums = { removed: removed + left.removed, removedBytes: removedBytes + left.removedBytes };
    const gone: RemovedEntry[] = [];
    for (; at < entries.length && Buffer.compare(keyOf(entries[at]), _id.buffer) <= 0; at++)
      gone.push(entries[at] as RemovedEntry);
    sums.removed += gone.length;
    for (const { bytes } of gone) sums.removedBytes += bytes;
    const isEmpty = sums.removed === rank - lower;
    if (isEmpty) changes.push({ deleteOne: { filter } });
    else if (sums.removed > removed) {
      const $set = { ...sums, ...withoutEntries(tally, gone) };
      changes.push({ updateOne: { filter, update: { $set } } });
    }
    left = isEmpty ? sums : none;
    if (!isEmpty) lower = rank;
  }
  return changes;
}

const keyOf = (entry: RemovedEntry | undefined) => entry?._id.buffer as Uint8Array;

/** In a transaction: gives the milestones of an application the ranks and bytes that they have without the deleted entries. */
export async function foldMilestones(db: Db, session: ClientSession, application: string): Promise<void> {
  const milestones = db.collection<MilestoneDocument>('milestones');
  const ofApplication = { application: new ObjectId(application) };
  const changed = milestones.find({ ...ofApplication, removed: { $gt: 0 } }, { session }).sort({ rank: 1 });
  const all = await changed.toArray();
  let [rank, bytes] = [0, 0];
  // In the order of ranks, which become lower, so that no two are the same in between.
  const updates = all.map((milestone, i) => {
    rank -= milestone.removed ?? 0;
    bytes -= milestone.removedBytes ?? 0;
    const next = all[i + 1]?.rank;
    return {
      updateMany: {
        filter: {
          ...ofApplication,
          rank: { $gte: milestone.rank, ...(next !== undefined && { $lt: next }) },
        },
        update: { $inc: { rank, bytes }, $unset: { removed: '' as const, removedBytes: '' as const } },
      },
    };
  });
  if (updates.length > 0) await milestones.bulkWrite(updates, { session, ordered: true });
}
