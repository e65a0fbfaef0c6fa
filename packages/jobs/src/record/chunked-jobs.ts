import { idsOf } from '@sluice/store/ids.ts';
import { fromNow, hasMatched, isFree } from '@sluice/store/lease.ts';
import { type Db, type Document, type Filter, ObjectId } from 'mongodb';
import type { ChunkStore, NewRange } from './chunks.ts';
import { fileExpiry } from './import-sources.ts';
import {
  type Ending,
  type ImportDocument,
  type ImportJob,
  type ImportOptions,
  type JobDocument,
  type JobRecord,
  newDocument,
  type RehearsalDocument,
  type RehearsalJob,
  toRecord,
  unfinished,
  wholeKinds,
} from './job-records.ts';
import { begun, measureRate } from './progress.ts';
import { brief } from './queued-jobs.ts';

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

/** Jobs that an API was creating, and files that nobody continues. */
const isStranded: Filter<JobDocument> = {
  state: 'waiting',
  received: false,
  'source.isReady': { $exists: false },
  $expr: isFree,
};

/** Matches a job whose chunks are still being created. */
const arriving = (id: string) => ({
  _id: new ObjectId(id),
  state: 'waiting' as const,
  received: false,
});

/** The first fields of such a job. */
const incomplete = (leaseUntil = new Date(Date.now() + arrivingMs)) => ({
  received: false,
  accepted: 0,
  rejected: 0,
  held: 0,
  leaseUntil,
});

/** Operations of imports and rehearsals: their chunks are created first, then many workers do them at once. */
export function chunkedJobs(db: Db, chunks: Pick<ChunkStore, 'leave' | 'areDone' | 'totals'>) {
  const jobs = db.collection<JobDocument>('jobs');
  const isChunked = { kind: { $nin: wholeKinds }, state: { $in: unfinished } };
  const among = (ids: string[]): Filter<JobDocument> => ({
    _id: { $in: ids.map((id) => new ObjectId(id)) },
  });

  /** `change`: the new ending. False: the job does not match. */
  async function beginEnd(id: string, filter: Filter<JobDocument>, change: Document): Promise<boolean> {
    const found = { _id: new ObjectId(id), ...isChunked, ...filter };
    if (!(await hasMatched(jobs.updateOne(found, [{ $set: { ending: change } }])))) return false;
    await chunks.leave(id);
    return true;
  }

  return {
    /** Lets a job end as cancelled: see `settle`. False: it is over. */
    cancel: (id: string, ending: Ending): Promise<boolean> => beginEnd(id, {}, { $literal: ending }),

    /** Lets a job end as failed, unless it is to end already. False: it is over, or was retried. */
    fail: (id: string, fence: number, ending: Ending): Promise<boolean> =>
      beginEnd(id, { fence }, { $ifNull: ['$ending', { $literal: ending }] }),

    /** Ends a job as it is to end, with the counts of what was done. Undefined: some chunks are under way, or the job is over. */
    async settle(id: string): Promise<JobRecord | undefined> {
      const isEnding = { _id: new ObjectId(id), ...isChunked, ending: { $exists: true } };
      const found = await jobs.findOne(isEnding, { projection: { fence: 1 } });
      if (!found || !(await chunks.areDone(id))) return undefined;
      const ended = { ...(await chunks.totals(id)), finishedAt: '$$NOW' };
      // The fence: a retry raises it, and then these counts are old.
      const settled = await jobs.findOneAndUpdate(
        { ...isEnding, fence: found.fence },
        [{ $replaceWith: { $mergeObjects: ['$$ROOT', '$ending', ended] } }, { $unset: 'ending' }],
        { returnDocument: 'after', projection: brief },
      );
      return settled ? toRecord(settled) : undefined;
    },

    /** Removes a job whose chunks are incomplete; false: they are complete. */
    async dismiss(id: string): Promise<boolean> {
      return (await jobs.deleteOne({ _id: new ObjectId(id), received: false })).deletedCount === 1;
    },

    stranded: (limit: number): Promise<string[]> => idsOf(jobs.find(isStranded), limit),

    /** False: it is stranded no more. */
    async removeStranded(id: string): Promise<boolean> {
      return (await jobs.deleteOne({ _id: new ObjectId(id), ...isStranded })).deletedCount === 1;
    },

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

    failed: (ids: string[]): Promise<string[]> => idsOf(jobs.find({ ...among(ids), state: 'failed' })),

    /** The jobs among these that cannot be retried, or are gone. */
    async over(ids: string[]): Promise<string[]> {
      const kept = new Set(await idsOf(jobs.find({ ...among(ids), state: unended })));
      return ids.filter((id) => !kept.has(id));
    },
  };
}

type NewImport = Pick<ImportJob, 'application' | 'owner' | 'domain' | 'options' | 'source'>;

/** Of a CSV, as its header says it. */
type Layout = Required<Pick<ImportOptions, 'columns' | 'delimiter'>>;

/** What only imports have: a file that arrives first. */
export function importJobs(db: Db) {
  const jobs = db.collection<ImportDocument>('jobs');
  const kind = 'import' as const;

  return {
    /** Its file is still to arrive: until `receive` no worker takes it. */
    async create(job: NewImport): Promise<ImportJob> {
      const begin = incomplete(job.source && fileExpiry());
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
      { id, fence }: Pick<ImportJob, 'id' | 'fence'>,
      { total, held, layout }: { total: number; held: number; layout?: Layout | undefined },
    ): Promise<ImportJob | undefined> {
      const options = layout && {
        'options.columns': layout.columns,
        'options.delimiter': layout.delimiter,
      };
      const received = await jobs.findOneAndUpdate(
        {
          _id: new ObjectId(id),
          state: { $in: unfinished },
          received: false,
          fence,
          ending: { $exists: false },
        },
        {
          $set: { received: true, total, held, attempts: 0, parts: [], ...options },
          $currentDate: { queuedAt: true },
          $unset: { leaseUntil: '', 'source.isReady': '', 'source.url': '', 'source.names': '' },
        },
        { returnDocument: 'after' },
      );
      return received ? toRecord(received) : undefined;
    },
  };
}

type NewRehearsal = Pick<RehearsalJob, 'application' | 'owner' | 'domain' | 'options'>;

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
