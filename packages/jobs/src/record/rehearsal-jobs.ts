import { type Db, ObjectId } from 'mongodb';
import { arriving, arrivingMs } from './chunked-jobs.ts';
import type { RehearsalJob } from './chunked-records.ts';
import type { ChunkStore, NewRange } from './chunks.ts';
import { newDocument, type RehearsalDocument, toRecord } from './job-records.ts';

export type NewRehearsal = Pick<RehearsalJob, 'application' | 'owner' | 'domain' | 'options' | 'cut'>;

/** What only rehearsals have. */
export function rehearsalJobs(db: Db, chunks: Pick<ChunkStore, 'addRanges'>) {
  const jobs = db.collection<RehearsalDocument>('jobs');
  return {
    /** Makes the job and a chunk for each range. Undefined when it took so long that the job was given up. */
    async create(job: NewRehearsal, ranges: NewRange[]): Promise<RehearsalJob | undefined> {
      const total = ranges.reduce((sum, { lines }) => sum + lines, 0);
      const document: RehearsalDocument = {
        ...newDocument(job),
        ...job,
        ...{ application: new ObjectId(job.application), owner: new ObjectId(job.owner) },
        ...{ kind: 'rehearsal', total, received: false, accepted: 0, rejected: 0, held: 0 },
        leaseUntil: new Date(Date.now() + arrivingMs),
      };
      await jobs.insertOne(document);
      const id = document._id.toHexString();
      await chunks.addRanges(id, job.application, ranges);
      const made = await jobs.findOneAndUpdate(
        arriving(id),
        { $set: { received: true }, $currentDate: { queuedAt: true }, $unset: { leaseUntil: '' } },
        { returnDocument: 'after' },
      );
      return made ? toRecord(made) : undefined;
    },
  };
}
