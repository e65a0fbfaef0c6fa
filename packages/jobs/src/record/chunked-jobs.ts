import { idsOf } from '@sluice/store/ids.ts';
import { hasMatched, isFree } from '@sluice/store/lease.ts';
import { type Db, type Filter, ObjectId } from 'mongodb';
import { type JobDocument, unfinished } from './job-records.ts';
import { begun, measureRate } from './progress.ts';

/** What has become of lines, or entries, since it was last told. */
export interface Advance {
  done: number;
  accepted: number;
  rejected: number;
  /** Bytes of the file that are no longer held. */
  released: number;
}

/** The API that makes such a job says so often that it is alive; when it was silent for so long, it is dead. */
export const arrivingMs = 5 * 60_000;
/** Those whose chunks are kept: what has failed can be tried again. */
export const unended = { $in: [...unfinished, 'failed' as const] };

/** Before all of its chunks are there. */
export const arriving = (id: string) => ({
  _id: new ObjectId(id),
  state: 'waiting' as const,
  received: false,
});

/** What imports and rehearsals have alike: chunks that are made first, then done by many workers at once. */
export function chunkedJobs(db: Db) {
  const jobs = db.collection<JobDocument>('jobs');
  const among = (ids: string[]): Filter<JobDocument> => ({
    _id: { $in: ids.map((id) => new ObjectId(id)) },
  });

  return {
    /** Removes the record of a job whose chunks were not all made; false when they were. */
    async dismiss(id: string): Promise<boolean> {
      return (await jobs.deleteOne({ _id: new ObjectId(id), received: false })).deletedCount === 1;
    },

    /** Jobs that an API was making that is dead. */
    stranded: (limit: number): Promise<string[]> =>
      idsOf(jobs.find({ received: false, $expr: isFree }), limit),

    /** Tells how far it is; false when the job has ended, or is gone. */
    advance(id: string, { done, accepted, rejected, released }: Advance): Promise<boolean> {
      const progress = {
        done: { $add: ['$done', done] },
        accepted: { $add: ['$accepted', accepted] },
        rejected: { $add: ['$rejected', rejected] },
        held: { $max: [0, { $subtract: ['$held', released] }] },
      };
      const filter = { _id: new ObjectId(id), state: { $in: unfinished }, received: true };
      return hasMatched(jobs.updateOne(filter, [{ $set: { ...begun, ...progress } }, measureRate]));
    },

    /** Those of these that failed, and can be tried again. */
    failed: (ids: string[]): Promise<string[]> => idsOf(jobs.find({ ...among(ids), state: 'failed' })),

    /** Those of these that are over for good, or gone. */
    async over(ids: string[]): Promise<string[]> {
      const kept = new Set(await idsOf(jobs.find({ ...among(ids), state: unended })));
      return ids.filter((id) => !kept.has(id));
    },
  };
}
