import type { Db } from 'mongodb';

export interface Clock {
  /** The time of MongoDB's primary, in ms since the epoch. */
  now: number;
  /** All that was written by then is on a majority, and what reads find. */
  majority: number;
}

/** Rejects when there is no primary, or no replica set. */
export async function readClock(db: Db): Promise<Clock> {
  const { isWritablePrimary, localTime, lastWrite } = await db.command({ hello: 1 });
  if (!isWritablePrimary || !lastWrite) throw new Error('not the primary of a replica set');
  return { now: localTime.getTime(), majority: lastWrite.majorityWriteDate.getTime() };
}
