import { type ClientSession, type Db, ObjectId } from 'mongodb';
import type { MilestoneDocument } from './milestone-document.ts';

/** Entries that were deleted from among those that a milestone counts and the one before it does not. */
export interface Removed {
  /** As stored, which tells the milestone. */
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

/** The stored rank from which on milestones count so many entries that are there. */
export function storedRank(rank: number, all: Removed[]): number {
  let gone = 0;
  for (const each of all) {
    if (each.rank - gone - each.removed >= rank) break;
    gone += each.removed;
  }
  return rank + gone;
}
