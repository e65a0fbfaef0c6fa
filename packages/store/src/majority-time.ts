import type { Db } from 'mongodb';
import { operationsName } from './backup/block.ts';

/**
 * MongoDB's time in ms since the epoch, after a write that a majority has journaled: so all that was written before is there too. On a
 * sharded cluster it is the time of the `mongos` that was asked.
 */
export async function majorityTime(db: Db): Promise<number> {
  const notes = db.collection<{ _id: string; at: Date }>(operationsName);
  const found = await notes.findOneAndUpdate({ _id: 'clock' }, [{ $set: { at: '$$NOW' } }], {
    upsert: true,
    returnDocument: 'after',
  });
  return (found as unknown as { at: Date }).at.getTime();
}
