import { isFree } from '@sluice/store/lease.ts';
import { type Binary, type ClientSession, type Db, ObjectId } from 'mongodb';
import type { JobRecord } from './job-records.ts';

export interface JobSession {
  session: ClientSession;
  end(): Promise<void>;
}

/** Sessions of jobs that use transactions. A dead worker's open transaction would keep its locks for a minute. */
export function jobSessions(db: Db) {
  const jobs = db.collection<{ _id: ObjectId; fence: number; session?: Binary }>('jobs');

  async function endTransaction(id: string, condition: object): Promise<void> {
    const held = { _id: new ObjectId(id), session: { $exists: true }, ...condition };
    const found = await jobs.findOne(held, { projection: { session: 1 } });
    if (found) await db.command({ killSessions: [{ id: found.session }] });
  }

  return {
    /** Ends the transaction of a dead worker. */
    unlock: (id: string): Promise<void> => endTransaction(id, { $expr: isFree }),

    /** Ends the transaction of any worker: nobody knows yet whether the worker is dead. */
    interrupt: (id: string): Promise<void> => endTransaction(id, {}),

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
