import type { Binary, ObjectId } from 'mongodb';

export interface MilestoneDocument {
  /** The key of an entry, which may be deleted since. */
  _id: Binary;
  application: ObjectId;
  /** How many entries there were up to the key when it was set. Ranks ascend as keys do. */
  rank: number;
  /** Of their payloads, as BSON. */
  bytes: number;
  /** How many were deleted since, of those beyond the milestone before this one; absent: none. */
  removed?: number;
  removedBytes?: number;
}
