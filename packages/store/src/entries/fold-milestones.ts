import { type ClientSession, type Db, ObjectId } from 'mongodb';
import type { MilestoneDocument } from './milestone-document.ts';

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
