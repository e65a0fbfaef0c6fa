import { type Db, ObjectId } from 'mongodb';
import { arriving, arrivingMs, unended } from './chunked-jobs.ts';
import type { ImportJob } from './chunked-records.ts';
import { type ImportDocument, newDocument, toRecord } from './job-records.ts';
import { fromNow, hasMatched } from './lease.ts';

export type NewImport = Pick<ImportJob, 'application' | 'owner' | 'domain' | 'options'>;

/** What only imports have: a file that arrives first. */
export function importJobs(db: Db) {
  const jobs = db.collection<ImportDocument>('jobs');
  const kind = 'import' as const;

  return {
    /** Its file is still to arrive: until `receive` no worker takes it. */
    async create(job: NewImport): Promise<ImportJob> {
      const leaseUntil = new Date(Date.now() + arrivingMs);
      const begin = { received: false, accepted: 0, rejected: 0, held: 0, leaseUntil };
      const document: ImportDocument = { ...job, ...newDocument(job), ...begin, kind };
      await jobs.insertOne(document);
      return toRecord(document);
    },

    /** How many bytes of an owner's unfinished and failed imports the store holds. */
    async bytesOfOwner(owner: string): Promise<number> {
      const found = jobs.aggregate<{ held: number }>([
        { $match: { kind, owner: new ObjectId(owner), state: unended } },
        { $group: { _id: null, held: { $sum: '$held' } } },
      ]);
      const [sums] = await found.toArray();
      return sums?.held ?? 0;
    },

    /** Says that the file is still arriving; false when nobody wants it any more. */
    touch: (id: string, held: number): Promise<boolean> =>
      hasMatched(jobs.updateOne(arriving(id), [{ $set: { held, leaseUntil: fromNow(arrivingMs) } }])),

    /** The whole file is there; from now on it is listed and worked on. Undefined when nobody wants it any more. */
    async receive(
      id: string,
      { total, held, columns }: { total: number; held: number; columns?: (string | null)[] | undefined },
    ): Promise<ImportJob | undefined> {
      const received = await jobs.findOneAndUpdate(
        arriving(id),
        {
          $set: { received: true, total, held, ...(columns && { 'options.columns': columns }) },
          $currentDate: { queuedAt: true },
          $unset: { leaseUntil: '' },
        },
        { returnDocument: 'after' },
      );
      return received ? toRecord(received) : undefined;
    },
  };
}
