import { hasMatched } from '@sluice/store/lease.ts';
import { type Db, ObjectId } from 'mongodb';
import type { VerificationJob } from './archive-record.ts';
import { toRecord, unfinished, type VerificationDocument } from './job-records.ts';

/** Operations of verifications: one worker at a time reads file after file. */
export function verificationJobs(db: Db) {
  const jobs = db.collection<VerificationDocument>('jobs');

  return {
    /** The one of an archive that is not over. */
    async underWay(application: string, archive: string): Promise<VerificationJob | undefined> {
      const found = await jobs.findOne({
        application: new ObjectId(application),
        kind: 'verification',
        'options.archive': archive,
        state: { $in: unfinished },
      });
      return found ? toRecord(found) : undefined;
    },

    /** Another worker goes on behind this file. False: the lease is lost. */
    goOn: (id: string, fence: number, after: string, done: number): Promise<boolean> =>
      hasMatched(
        jobs.updateOne(
          { _id: new ObjectId(id), state: 'active', fence },
          { $set: { after, done, attempts: 0 } },
        ),
      ),
  };
}
