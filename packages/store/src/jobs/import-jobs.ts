import { type Db, type Filter, ObjectId } from 'mongodb';
import { idsOf } from '../ids.ts';
import { type ImportDocument, type ImportJob, newDocument, toRecord, unfinished } from './job-records.ts';
import { fromNow, hasMatched, isFree } from './lease.ts';
import { begun, measureRate } from './progress.ts';

export type NewImport = Pick<ImportJob, 'application' | 'owner' | 'domain' | 'options'>;

/** What has become of lines since it was last told. */
export interface Advance {
  done: number;
  accepted: number;
  rejected: number;
  /** Bytes of the file that are no longer held. */
  released: number;
}

/** Those whose chunks are kept: what has failed can be tried again. */
const unended: Filter<ImportDocument>['state'] = { $in: [...unfinished, 'failed'] };
/** The API that takes a file says so often that it is alive; when it was silent for so long, it is dead. */
const arrivingMs = 5 * 60_000;

/** What only imports have: a file that arrives first, and many workers at once on its chunks. */
export function importJobs(db: Db) {
  const jobs = db.collection<ImportDocument>('jobs');
  const kind = 'import' as const;
  const arriving = (id: string): Filter<ImportDocument> => ({
    _id: new ObjectId(id),
    state: 'waiting',
    received: false,
  });

  return {
    /** Its file is still to arrive: until `receive` no worker takes it. */
    async create(job: NewImport): Promise<ImportJob> {
      const leaseUntil = new Date(Date.now() + arrivingMs);
      const arriving = { received: false, accepted: 0, rejected: 0, held: 0, leaseUntil };
      const document: ImportDocument = { ...job, ...newDocument(job), ...arriving, kind };
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

    /** Removes the record of an import whose file did not come to its end; false when it did. */
    async dismiss(id: string): Promise<boolean> {
      return (await jobs.deleteOne({ _id: new ObjectId(id), received: false })).deletedCount === 1;
    },

    /** Imports whose file was arriving at an API that is dead. */
    stranded: (limit: number): Promise<string[]> =>
      idsOf(jobs.find({ kind, received: false, $expr: isFree }), limit),

    /** Tells how far it is; false when the import has ended, or is gone. */
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
    failed: (ids: string[]): Promise<string[]> =>
      idsOf(jobs.find({ _id: { $in: ids.map((id) => new ObjectId(id)) }, state: 'failed' })),

    /** Those of these that are over for good, or gone. */
    async over(ids: string[]): Promise<string[]> {
      const among = ids.map((id) => new ObjectId(id));
      const kept = new Set(await idsOf(jobs.find({ _id: { $in: among }, state: unended })));
      return ids.filter((id) => !kept.has(id));
    },
  };
}
