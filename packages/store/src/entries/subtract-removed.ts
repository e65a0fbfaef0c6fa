import { type AnyBulkWriteOperation, Binary, type ClientSession, type Db } from 'mongodb';
import { highestId, lowestId, timeOfKey, toKey } from './entry-id.ts';
import type { MilestoneDocument } from './milestone-document.ts';
import { withoutTimes } from './minute-counts.ts';

/** An entry that is deleted. `bytes`: of its payload, as BSON. */
export interface RemovedEntry {
  _id: Binary;
  bytes: number;
}

type Sums = { removed: number; removedBytes: number };
type Changed = Sums & Pick<MilestoneDocument, 'minutes'>;
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
  const before = await milestones.findOne({ _id: { $gte, $lt: first } }, { sort: { _id: -1 }, session });
  const within = milestones.find({ _id: { $gte: first, $lt: last } }, { session }).sort({ _id: 1 });
  const above = await within.toArray();
  // The one that counts the last entry, and the next, to which what is left of that one may go.
  const beyond = milestones
    .find({ _id: { $gte: last, $lte } }, { session })
    .sort({ _id: 1 })
    .limit(2);
  above.push(...(await beyond.toArray()));
  const changes = changesOf(above, before?.rank ?? 0, entries);
  if (changes.length > 0) await milestones.bulkWrite(changes, { session });
}

/** A milestone with no entry left beyond the one before it goes: the next one takes over what it had to subtract. */
function changesOf(
  milestones: MilestoneDocument[],
  rankBefore: number,
  entries: RemovedEntry[],
): AnyBulkWriteOperation<MilestoneDocument>[] {
  const changes: AnyBulkWriteOperation<MilestoneDocument>[] = [];
  let lower = rankBefore;
  let left = none;
  let at = 0;
  for (const { _id, rank, removed = 0, removedBytes = 0, minutes } of milestones) {
    const sums: Changed = { removed: removed + left.removed, removedBytes: removedBytes + left.removedBytes };
    const times: number[] = [];
    for (; at < entries.length && Buffer.compare(keyOf(entries[at]), _id.buffer) <= 0; at++) {
      sums.removed += 1;
      sums.removedBytes += entries[at]?.bytes as number;
      times.push(timeOfKey(entries[at]?._id as Binary));
    }
    if (minutes) sums.minutes = new Binary(withoutTimes(minutes.buffer, times));
    const isEmpty = sums.removed === rank - lower;
    if (isEmpty) changes.push({ deleteOne: { filter: { _id } } });
    else if (sums.removed > removed) changes.push({ updateOne: { filter: { _id }, update: { $set: sums } } });
    left = isEmpty ? sums : none;
    if (!isEmpty) lower = rank;
  }
  return changes;
}

const keyOf = (entry: RemovedEntry | undefined) => entry?._id.buffer as Uint8Array;
