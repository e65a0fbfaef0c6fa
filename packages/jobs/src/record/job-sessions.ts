import { isFree } from '@sluice/store/lease.ts';
import { type Binary, type ClientSession, type Db, ObjectId } from 'mongodb';
import type { JobRecord } from './job-records.ts';

/** A session for the transactions of one worker. */
export interface JobSession {
  session: ClientSession;
  end(): Promise<void>;
}

/** Sessions of jobs that use transactions. A dead worker's open transaction would keep its locks for a minute. */
export function jobSessions(db: Db) {
  const jobs = db.collection<{ _id: ObjectId; fence: number; session?: Binary }>('jobs');

  return {
    /** Ends the transaction of a dead worker. */
    async unlock(id: string): Promise<void> {
      const abandoned = { _id: new ObjectId(id), session: { $exists: true }, $expr: isFree };
      const found = await jobs.findOne(abandoned, { projection: { session: 1 } });
      if (found) await db.command({ killSessions: [{ id: found.session }] });
    },

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
