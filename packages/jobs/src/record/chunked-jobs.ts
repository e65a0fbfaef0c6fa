import { idsOf } from '@sluice/store/ids.ts';
import { fromNow, hasMatched, isFree } from '@sluice/store/lease.ts';
import { type Db, type Filter, ObjectId } from 'mongodb';
import type { ChunkStore, NewRange } from './chunks.ts';
import {
  type ImportDocument,
  type ImportJob,
  type ImportOptions,
  type JobDocument,
  newDocument,
  type RehearsalDocument,
  type RehearsalJob,
  toRecord,
  unfinished,
} from './job-records.ts';
import { begun, measureRate } from './progress.ts';

/** Progress since the last call. */
interface Advance {
  done: number;
  accepted: number;
  rejected: number;
  /** Bytes of the file that the store no longer holds. */
  released: number;
}

/** An API that creates a job renews its lease. After this silence, the API counts as dead. */
const arrivingMs = 5 * 60_000;
/** States in which the chunks are kept: a failed job can be retried. */
const unended = { $in: [...unfinished, 'failed' as const] };

/** Matches a job whose chunks are still being created. */
const arriving = (id: string) => ({
  _id: new ObjectId(id),
  state: 'waiting' as const,
  received: false,
});

/** The first fields of such a job. */
const incomplete = () => ({
  ...{ received: false, accepted: 0, rejected: 0, held: 0 },
  leaseUntil: new Date(Date.now() + arrivingMs),
});

/** Operations of imports and rehearsals: their chunks are created first, then many workers do them at once. */
export function chunkedJobs(db: Db) {
  const jobs = db.collection<JobDocument>('jobs');
  const among = (ids: string[]): Filter<JobDocument> => ({
    _id: { $in: ids.map((id) => new ObjectId(id)) },
  });

  return {
    /** Removes a job whose chunks are incomplete; false: they are complete. */
    async dismiss(id: string): Promise<boolean> {
      return (await jobs.deleteOne({ _id: new ObjectId(id), received: false })).deletedCount === 1;
    },

    /** Jobs that a dead API was creating. */
    stranded: (limit: number): Promise<string[]> =>
      idsOf(jobs.find({ received: false, $expr: isFree }), limit),

    /** Adds to the progress; false: the job has ended, or is gone. */
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

    /** The failed jobs among these. */
    failed: (ids: string[]): Promise<string[]> => idsOf(jobs.find({ ...among(ids), state: 'failed' })),

    /** The jobs among these that cannot be retried, or are gone. */
    async over(ids: string[]): Promise<string[]> {
      const kept = new Set(await idsOf(jobs.find({ ...among(ids), state: unended })));
      return ids.filter((id) => !kept.has(id));
    },
  };
}

type NewImport = Pick<ImportJob, 'application' | 'owner' | 'domain' | 'options'>;

/** Of a CSV, as its header says it. */
type Layout = Required<Pick<ImportOptions, 'columns' | 'delimiter'>>;

/** What only imports have: a file that arrives first. */
export function importJobs(db: Db) {
  const jobs = db.collection<ImportDocument>('jobs');
  const kind = 'import' as const;

  return {
    /** Its file is still to arrive: until `receive` no worker takes it. */
    async create(job: NewImport): Promise<ImportJob> {
      const document: ImportDocument = { ...job, ...newDocument(job), ...incomplete(), kind };
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

type NewRehearsal = Pick<RehearsalJob, 'application' | 'owner' | 'domain' | 'options' | 'cut'>;

/** What only rehearsals have. */
export function rehearsalJobs(db: Db, chunks: Pick<ChunkStore, 'addRanges'>) {
  const jobs = db.collection<RehearsalDocument>('jobs');
  return {
    /** Makes the job and a chunk for each range. Undefined when it took so long that the job was given up. */
    async create(job: NewRehearsal, ranges: NewRange[]): Promise<RehearsalJob | undefined> {
      const total = ranges.reduce((sum, { lines }) => sum + lines, 0);
      const begin = { ...incomplete(), kind: 'rehearsal', total } as const;
      const document: RehearsalDocument = { ...job, ...newDocument(job), ...begin };
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
