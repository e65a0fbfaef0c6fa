import { fromNow, hasMatched } from '@sluice/store/lease.ts';
import { type Db, ObjectId } from 'mongodb';
import { arriving, arrivingMs, unended } from './chunked-jobs.ts';
import type { ImportJob, ImportOptions } from './chunked-records.ts';
import { type ImportDocument, newDocument, toRecord } from './job-records.ts';

export type NewImport = Pick<ImportJob, 'application' | 'owner' | 'domain' | 'options'>;

/** Of a CSV, as its header says it. */
type Layout = Required<Pick<ImportOptions, 'columns' | 'delimiter'>>;

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
      { total, held, layout }: { total: number; held: number; layout?: Layout | undefined },
    ): Promise<ImportJob | undefined> {
      const options = layout && {
        'options.columns': layout.columns,
        'options.delimiter': layout.delimiter,
      };
      const received = await jobs.findOneAndUpdate(
        arriving(id),
        {
          $set: { received: true, total, held, ...options },
          $currentDate: { queuedAt: true },
          $unset: { leaseUntil: '' },
        },
        { returnDocument: 'after' },
      );
      return received ? toRecord(received) : undefined;
    },
  };
}
