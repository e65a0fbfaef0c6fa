import type { UpdateResult } from 'mongodb';

/*
 * A lease: one worker at a time has a document, until `leaseUntil`. Each claim raises `fence`, and only who has the last one may
 * write. `attempts` counts claims without progress, so that what kills its worker is not tried for ever. All times are MongoDB's.
 */
export const isLeased = { $gt: ['$leaseUntil', '$$NOW'] };
export const isFree = { $not: isLeased };

export const fromNow = (ms: number) => ({ $add: ['$$NOW', ms] });

export const claimed = (leaseMs: number) => ({
  fence: { $add: ['$fence', 1] },
  attempts: { $add: ['$attempts', 1] },
  leaseUntil: fromNow(leaseMs),
});

/** `counts`: whether the attempt may have failed for what is in the job. */
export const released = (counts: boolean) => ({
  leaseUntil: '$$NOW',
  attempts: counts ? '$attempts' : { $max: [0, { $subtract: ['$attempts', 1] }] },
});

/** Whether an update met its document: false where the lease is another worker's, or the job has ended. */
export const hasMatched = async (updating: Promise<UpdateResult>): Promise<boolean> =>
  (await updating).matchedCount === 1;
