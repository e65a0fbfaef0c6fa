import { type Binary, ObjectId } from 'mongodb';
import type { Marks } from './milestone-marks.ts';
import type { PackedTally } from './milestone-tally.ts';

/** Finds the milestones of an application in a range of keys. The application tells a sharded cluster which shard to ask. */
export const milestonesIn = (application: string, keys: object) => ({
  application: new ObjectId(application),
  _id: keys,
});

/** The index for such queries. */
export const byKey = { _id: 1 } as const;

/** The tally is of the remaining entries that came after the previous milestone. */
export interface MilestoneDocument extends PackedTally {
  /** The key of an entry, which may be deleted since. */
  _id: Binary;
  application: ObjectId;
  /** How many entries there were up to the key when it was set. Ranks ascend as keys do. */
  rank: number;
  /** Of their payloads, as BSON. */
  bytes: number;
  /** Entries deleted since it was set, that came after the previous milestone; absent: none. */
  removed?: number;
  removedBytes?: number;
  marks: Marks;
}

/** `rank`: how many entries the application has up to this key, and with it. `bytes`: of their payloads, as BSON. */
export interface Milestone {
  key: Binary;
  rank: number;
  bytes: number;
}

/** Where to begin to read. */
export type RankedKey = Pick<Milestone, 'key' | 'rank'>;

export interface End {
  $lt?: Binary;
  $lte?: Binary;
}
