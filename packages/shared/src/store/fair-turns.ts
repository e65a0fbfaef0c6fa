import type { Collection, Document, ObjectId } from 'mongodb';
import type { JobDocument } from './job-records.ts';

/** A job that a worker could take, of an owner for whom `active` others are under way. */
export interface Turn {
  id: ObjectId;
  owner: ObjectId;
  active: number;
}

/**
 * Whose turn it is: of each owner the job that has waited longest, those of owners with the least under way first, and
 * among equals of who had no turn for longest. So fifty jobs of one owner do not come before the first of another. A
 * job whose worker died waits too.
 */
export async function fairTurns(
  jobs: Collection<JobDocument>,
  kind: JobDocument['kind'],
  limit: number,
): Promise<Turn[]> {
  const isHeld = { $gt: ['$leaseUntil', '$$NOW'] };
  const pipeline: Document[] = [
    { $match: { kind, state: { $in: ['waiting', 'active'] }, received: { $ne: false } } },
    { $project: { owner: 1, queuedAt: 1, isHeld } },
    {
      $group: {
        _id: '$owner',
        active: { $sum: { $cond: ['$isHeld', 1, 0] } },
        next: { $min: { $cond: ['$isHeld', '$$REMOVE', { at: '$queuedAt', id: '$_id' }] } },
      },
    },
    { $match: { 'next.id': { $exists: true } } },
    { $set: { turn: { kind: { $literal: kind }, owner: '$_id' } } },
    { $lookup: { from: 'turns', localField: 'turn', foreignField: '_id', as: 'turns' } },
    { $sort: { active: 1, 'turns.at': 1, 'next.at': 1 } },
    { $limit: limit },
  ];
  const found = await jobs
    .aggregate<{ _id: ObjectId; active: number; next: { id: ObjectId } }>(pipeline)
    .toArray();
  return found.map(({ _id, active, next }) => ({ id: next.id, owner: _id, active }));
}
