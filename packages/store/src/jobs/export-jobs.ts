import { type Db, ObjectId } from 'mongodb';
import {
  type ExportDocument,
  type ExportJob,
  type ExportShape,
  newDocument,
  type Part,
  type Position,
  toRecord,
} from './job-records.ts';
import { fromFailed, waitAgain } from './retry.ts';

export type NewExport = Pick<
  ExportJob,
  'application' | 'owner' | 'domain' | 'options' | 'cut' | 'leafCount' | 'hasRest' | 'hasLarge' | 'transient'
>;

/** What only exports have: they are written by one worker at a time, part after part. */
export function exportJobs(db: Db) {
  const jobs = db.collection<ExportDocument>('jobs');

  return {
    async create(job: NewExport): Promise<ExportJob> {
      const document: ExportDocument = { ...job, ...newDocument(job), kind: 'export' };
      await jobs.insertOne(document);
      return toRecord(document);
    },

    /** Lets a failed export wait again; `anew`: without the parts that it has. Undefined when it is not as it was seen any more. */
    async retry(seen: Pick<ExportJob, 'id' | 'fence'>, anew: boolean): Promise<ExportJob | undefined> {
      const change = anew
        ? waitAgain<ExportDocument>({ parts: [], done: 0, bytes: 0 }, [
            'position',
            'firstCreatedAt',
            'lastCreatedAt',
            'mark',
          ])
        : waitAgain<ExportDocument>({});
      const retried = await jobs.findOneAndUpdate({ ...fromFailed(seen), transient: false }, change, {
        returnDocument: 'after',
        projection: { parts: 0, shape: 0 },
      });
      return retried ? toRecord(retried) : undefined;
    },

    async setTotal(id: string, total: number): Promise<void> {
      await jobs.updateOne({ _id: new ObjectId(id), state: 'active' }, { $set: { total } });
    },

    /** False when the job is no longer this worker's, or was cancelled. */
    async setShape(id: string, fence: number, shape: ExportShape): Promise<boolean> {
      const { matchedCount } = await jobs.updateOne(
        { _id: new ObjectId(id), state: 'active', fence },
        { $set: { shape, touchedAt: new Date(), attempts: 0 } },
      );
      return matchedCount === 1;
    },

    /** Makes stored parts count, all at once. False when the job is no longer this worker's, or was cancelled. */
    async commitParts(
      id: string,
      fence: number,
      { parts, position, ...times }: PartsCommit,
    ): Promise<boolean> {
      const sum = (of: 'rows' | 'bytes') => parts.reduce((total, part) => total + part[of], 0);
      const { modifiedCount } = await jobs.updateOne(
        { _id: new ObjectId(id), state: 'active', fence },
        {
          $push: { parts: { $each: parts } },
          $inc: { done: sum('rows'), bytes: sum('bytes') },
          $set: { position, touchedAt: new Date(), attempts: 0, ...times },
        },
      );
      return modifiedCount === 1;
    },
  };
}

interface PartsCommit {
  parts: Part[];
  /** Where the next part begins. */
  position: Position;
  firstCreatedAt: Date | undefined;
  lastCreatedAt: Date | undefined;
}
