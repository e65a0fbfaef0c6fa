import { type Db, type Filter, ObjectId } from 'mongodb';
import { idsOf } from '../ids.ts';
import type { ChunkTotals } from './chunks.ts';
import { type ImportDocument, type ImportJob, newDocument, toRecord } from './job-records.ts';
import { begun, measureRate } from './progress.ts';
import { fromFailed, waitAgain } from './retry.ts';

export type NewImport = Pick<ImportJob, 'application' | 'owner' | 'domain' | 'options'>;

type Seen = Pick<ImportJob, 'id' | 'fence'>;

/** What has become of lines since it was last told. */
export interface Advance {
  done: number;
  accepted: number;
  rejected: number;
  /** Bytes of the file that are no longer held. */
  released: number;
}

const unfinished = { $in: ['waiting', 'active'] satisfies ImportJob['state'][] };
/** Those whose chunks are kept: what has failed can be tried again. */
const unended = { $in: [...unfinished.$in, 'failed'] satisfies ImportJob['state'][] };

/** What only imports have: a file that arrives first, and many workers at once on its chunks. */
export function importJobs(db: Db) {
  const jobs = db.collection<ImportDocument>('jobs');
  const kind = 'import' as const;
  const arriving = (id: string): Filter<ImportDocument> => ({
    _id: new ObjectId(id),
    state: 'waiting',
    received: false,
  });
  const open = (id: string): Filter<ImportDocument> => ({
    _id: new ObjectId(id),
    state: unfinished,
    received: true,
  });

  return {
    /** Its file is still to arrive: until `receive` no worker takes it. */
    async create(job: NewImport): Promise<ImportJob> {
      const arriving = { received: false, accepted: 0, rejected: 0, held: 0 };
      const document: ImportDocument = { ...job, ...newDocument(job), ...arriving, kind };
      await jobs.insertOne(document);
      return toRecord(document);
    },

    /** How many bytes of an owner's unfinished and failed imports the store holds. */
    async heldOfOwner(owner: string): Promise<number> {
      const found = jobs.aggregate<{ held: number }>([
        { $match: { kind, owner: new ObjectId(owner), state: unended } },
        { $group: { _id: null, held: { $sum: '$held' } } },
      ]);
      const [sums] = await found.toArray();
      return sums?.held ?? 0;
    },

    /** Says that the file is still arriving; false when nobody wants it any more. */
    async touch(id: string, held: number): Promise<boolean> {
      const change = { $set: { held }, $currentDate: { touchedAt: true } } as const;
      return (await jobs.updateOne(arriving(id), change)).matchedCount === 1;
    },

    /** The whole file is there; from now on it is listed and worked on. Undefined when nobody wants it any more. */
    async receive(
      id: string,
      { total, held, columns }: { total: number; held: number; columns?: (string | null)[] | undefined },
    ): Promise<ImportJob | undefined> {
      const received = await jobs.findOneAndUpdate(
        arriving(id),
        {
          $set: { received: true, total, held, ...(columns && { 'options.columns': columns }) },
          $currentDate: { queuedAt: true, touchedAt: true },
        },
        { returnDocument: 'after' },
      );
      return received ? toRecord(received) : undefined;
    },

    /** Removes the record of an import whose file did not come to its end; false when it did. */
    async dismiss(id: string): Promise<boolean> {
      return (await jobs.deleteOne({ _id: new ObjectId(id), received: false })).deletedCount === 1;
    },

    /** Imports whose file was arriving, but not since `before`. */
    async stranded(before: Date, limit: number): Promise<string[]> {
      const found = jobs.find({ kind, state: unfinished, received: false, touchedAt: { $lt: before } });
      return idsOf(found, limit);
    },

    /** Tells how far it is; false when the import has ended, or is gone. */
    async advance(id: string, { done, accepted, rejected, released }: Advance): Promise<boolean> {
      const { matchedCount } = await jobs.updateOne(open(id), [
        {
          $set: {
            ...begun,
            done: { $add: ['$done', done] },
            accepted: { $add: ['$accepted', accepted] },
            rejected: { $add: ['$rejected', rejected] },
            held: { $max: [0, { $subtract: ['$held', released] }] },
          },
        },
        measureRate,
      ]);
      return matchedCount === 1;
    },

    /** Lets a failed import wait again, as far as it is. Undefined when it is not as it was seen any more. */
    async retry(seen: Seen, totals: ChunkTotals): Promise<ImportJob | undefined> {
      const mark = { at: new Date(), done: totals.done };
      const retried = await jobs.findOneAndUpdate(
        fromFailed(seen),
        waitAgain<ImportDocument>({ ...totals, mark }),
        {
          returnDocument: 'after',
          projection: { parts: 0 },
        },
      );
      return retried ? toRecord(retried) : undefined;
    },

    /** Those of these that are over for good, or gone. */
    async over(ids: string[]): Promise<string[]> {
      const among = ids.map((id) => new ObjectId(id));
      const kept = new Set(await idsOf(jobs.find({ _id: { $in: among }, state: unended })));
      return ids.filter((id) => !kept.has(id));
    },

    /** Whether it is over for good, or gone: then nobody takes its chunks any more. */
    async isOver(id: string): Promise<boolean> {
      const found = await jobs.findOne({ _id: new ObjectId(id), state: unended }, { projection: { _id: 1 } });
      return found === null;
    },
  };
}
