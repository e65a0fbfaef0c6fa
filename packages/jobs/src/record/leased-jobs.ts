import { claimed, fromNow, hasMatched, isFree, released } from '@sluice/store/lease.ts';
import type { ReplayResult } from '@sluice/store/refused/replays.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import { type ClientSession, type Db, type Filter, ObjectId } from 'mongodb';
import { type JobDocument, type JobOf, type JobRecord, toRecord, unfinished } from './job-records.ts';
import { begun, measureRate } from './progress.ts';

/** Its lease on a job is not lost. */
export const leased = (id: string, fence: number): Filter<JobDocument> => ({
  _id: new ObjectId(id),
  state: { $in: unfinished },
  fence,
});

/** What the worker that has a job writes until the job ends. */
export function leasedJobs(db: Db) {
  const jobs = db.collection<JobDocument>('jobs');

  return {
    /** Gives the job to one worker. The raised fence locks out the old worker. Undefined: the job is not free. */
    async claim<Kind extends JobRecord['kind']>(
      kind: Kind,
      id: string,
      leaseMs: number,
    ): Promise<JobOf<Kind> | undefined> {
      const found = await jobs.findOneAndUpdate(
        { _id: new ObjectId(id), kind, state: { $in: unfinished }, received: { $ne: false }, $expr: isFree },
        [{ $set: { ...begun, ...claimed(leaseMs) } }],
        { returnDocument: 'after', projection: { parts: 0 } },
      );
      return found ? (toRecord(found as never) as never) : undefined;
    },

    /** Renews the lease; false: the lease is lost. */
    renew: (id: string, fence: number, leaseMs: number, session?: ClientSession): Promise<boolean> =>
      hasMatched(
        jobs.updateOne(
          { ...leased(id, fence), state: 'active' },
          [{ $set: { leaseUntil: fromNow(leaseMs) } }, measureRate],
          { session },
        ),
      ),

    /** Adds to the progress of a job, in the transaction that does the work. `after`: where it goes on. Throws LeaseLost. */
    async advance(
      { id, fence }: Pick<JobRecord, 'id' | 'fence'>,
      {
        done,
        after,
        result,
      }: { done: number; after: string | undefined; result?: ReplayResult | JobOf<'unique'>['result'] },
      session: ClientSession,
    ): Promise<void> {
      const counts = Object.entries(result ?? {}).map(([name, count]) => [`result.${name}`, count]);
      const change = { $inc: { done, ...Object.fromEntries(counts) }, $set: { attempts: 0, after } };
      const { matchedCount } = await jobs.updateOne(leased(id, fence), change, { session });
      if (matchedCount === 0) throw new LeaseLost();
    },

    async setTotal(id: string, total: number): Promise<void> {
      await jobs.updateOne({ _id: new ObjectId(id), state: 'active' }, { $set: { total } });
    },

    /** Hands the job back. `counts`: the job itself may be the cause of the failure. */
    async release(id: string, fence: number, counts: boolean): Promise<void> {
      await jobs.updateOne(leased(id, fence), [{ $set: { state: 'waiting', ...released(counts) } }]);
    },
  };
}
