import { isFree } from '@sluice/store/lease.ts';
import { type Binary, type ClientSession, type Db, ObjectId } from 'mongodb';
import { type JobRecord, unfinished } from './job-records.ts';

export interface JobSession {
  session: ClientSession;
  end(): Promise<void>;
}

/** Sessions of jobs that use transactions. A dead worker's open transaction would keep its locks for a minute. */
export function jobSessions(db: Db) {
  const jobs = db.collection<{ _id: ObjectId; fence: number; session?: Binary }>('jobs');

  async function endTransactions(condition: object): Promise<void> {
    const held = jobs.find({ ...condition, session: { $exists: true } }).project({ session: 1 });
    const sessions = (await held.toArray()).map(({ session }) => ({ id: session }));
    if (sessions.length > 0) await db.command({ killSessions: sessions });
  }

  return {
    /** Ends the transaction of a dead worker. */
    unlock: (id: string): Promise<void> => endTransactions({ _id: new ObjectId(id), $expr: isFree }),

    /** Ends those of all dead workers. Jobs that wait for one may have all places of the queue. */
    unlockAll: (): Promise<void> => endTransactions({ state: { $in: unfinished }, $expr: isFree }),

    /** Ends the transaction of any worker: nobody knows yet whether the worker is dead. */
    interrupt: (id: string): Promise<void> => endTransactions({ _id: new ObjectId(id) }),

    async openSession({ id, fence }: Pick<JobRecord, 'id' | 'fence'>): Promise<JobSession> {
      const session = db.client.startSession();
      const own = { _id: new ObjectId(id), fence };
      await jobs.updateOne(own, { $set: { session: session.id?.id as Binary } });
      return {
        session,
        async end() {
          await jobs.updateOne(own, { $unset: { session: '' } }).catch(() => {});
          await session.endSession();
        },
      };
    },
  };
}
