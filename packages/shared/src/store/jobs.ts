import { type Db, type Filter, ObjectId } from 'mongodb';
import type { JobState } from '../contracts/jobs.ts';
import type { EntryId } from './entry-id.ts';
import { idsOf } from './ids.ts';

export interface Part {
  id: string;
  rows: number;
  /** Of the text, before compression. */
  bytes: number;
}

export interface ExportOptions {
  from?: Date | undefined;
  to?: Date | undefined;
  /** JSON Pointers in the order of the file; absent: all. */
  columns?: string[] | undefined;
  formulas: 'escape' | 'raw';
}

export interface JobRecord {
  id: string;
  kind: 'export';
  application: string;
  domain: string;
  state: JobState;
  options: ExportOptions;
  /** Nothing beyond this entry is in the file; absent when there was no entry. */
  cut?: EntryId | undefined;
  /** How many of the application's recorded leaves are columns. */
  leafCount: number;
  /** True for a file that is streamed to one client and not kept. */
  transient: boolean;
  /** Counts the workers that took the job; only the last of them may write. */
  fence: number;
  /** Workers that took the job since it last moved. */
  barren: number;
  done: number;
  total: number;
  bytes: number;
  parts: Part[];
  /** The last entry in the parts. */
  position?: EntryId | undefined;
  createdAt: Date;
  startedAt?: Date;
  finishedAt?: Date;
  error?: string;
  /** When a sweeper looks whether the job is forgotten. */
  touchedAt: Date;
  /** When the record and its parts go. */
  expiresAt?: Date;
}

type JobDocument = Omit<JobRecord, 'id' | 'application'> & { _id: ObjectId; application: ObjectId };

const toRecord = ({ _id, application, ...rest }: JobDocument): JobRecord => ({
  ...rest,
  id: _id.toHexString(),
  application: application.toHexString(),
});
const orUndefined = (found: JobDocument | null) => (found ? toRecord(found) : undefined);
const unfinished: JobState[] = ['waiting', 'active'];

export type JobStore = ReturnType<typeof jobStore>;
export type NewExport = Pick<
  JobRecord,
  'application' | 'domain' | 'options' | 'cut' | 'leafCount' | 'transient'
>;

/** The records of jobs: the truth about them, whatever the queue says. */
export function jobStore(db: Db) {
  const jobs = db.collection<JobDocument>('jobs');
  const held = (id: string, fence: number): Filter<JobDocument> => ({
    _id: new ObjectId(id),
    state: 'active',
    fence,
  });

  async function end(
    filter: Filter<JobDocument>,
    state: JobState,
    expiresAt: Date,
    error?: string,
  ): Promise<boolean> {
    const finishedAt = new Date();
    const { modifiedCount } = await jobs.updateOne(filter, { $set: { state, finishedAt, expiresAt, error } });
    return modifiedCount === 1;
  }

  return {
    async prepare() {
      await jobs.createIndexes([
        { key: { application: 1, createdAt: -1 } },
        { key: { touchedAt: 1 }, partialFilterExpression: { state: { $in: unfinished } } },
        { key: { expiresAt: 1 }, partialFilterExpression: { expiresAt: { $exists: true } } },
      ]);
    },

    async createExport(job: NewExport): Promise<JobRecord> {
      const now = new Date();
      const document: JobDocument = {
        ...job,
        _id: new ObjectId(),
        application: new ObjectId(job.application),
        kind: 'export',
        state: 'waiting',
        fence: 0,
        barren: 0,
        done: 0,
        total: 0,
        bytes: 0,
        parts: [],
        createdAt: now,
        touchedAt: now,
      };
      await jobs.insertOne(document);
      return toRecord(document);
    },

    async get(id: string): Promise<JobRecord | undefined> {
      return ObjectId.isValid(id) ? orUndefined(await jobs.findOne({ _id: new ObjectId(id) })) : undefined;
    },

    /** The state of a job and the parts from number `from` on, at most 50. */
    async follow(
      id: string,
      from: number,
    ): Promise<Pick<JobRecord, 'state' | 'parts' | 'error'> | undefined> {
      const projection = { state: 1, error: 1, parts: { $slice: [from, 50] } };
      const found = await jobs.findOne({ _id: new ObjectId(id) }, { projection });
      return found ?? undefined;
    },

    /** Newest first, at most 1,000, without their parts. */
    async list(application: string): Promise<JobRecord[]> {
      const found = jobs
        .find({ application: new ObjectId(application) })
        .sort({ createdAt: -1 })
        .limit(1_000);
      const documents = await found.project<JobDocument>({ parts: 0, 'options.columns': 0 }).toArray();
      return documents.map(toRecord);
    },

    /** Takes the job for one worker; whoever had it can write no more. Undefined when it is finished. */
    async claim(id: string): Promise<JobRecord | undefined> {
      const now = new Date();
      const claimed = await jobs.findOneAndUpdate(
        { _id: new ObjectId(id), state: { $in: unfinished } },
        [
          {
            $set: {
              state: 'active',
              startedAt: { $ifNull: ['$startedAt', now] },
              touchedAt: now,
              fence: { $add: ['$fence', 1] },
              barren: { $add: ['$barren', 1] },
            },
          },
        ],
        { returnDocument: 'after' },
      );
      return orUndefined(claimed);
    },

    async setTotal(id: string, fence: number, total: number): Promise<void> {
      await jobs.updateOne(held(id, fence), { $set: { total } });
    },

    /** Makes a stored part count. False when the job is no longer this worker's, or was cancelled. */
    async commitPart(id: string, fence: number, part: Part, position: EntryId | undefined): Promise<boolean> {
      const { modifiedCount } = await jobs.updateOne(held(id, fence), {
        $push: { parts: part },
        $inc: { done: part.rows, bytes: part.bytes },
        $set: { position, touchedAt: new Date(), barren: 0 },
      });
      return modifiedCount === 1;
    },

    /** False when the job is no longer this worker's. `total` becomes what was done. */
    async complete(id: string, fence: number, expiresAt: Date): Promise<boolean> {
      const { modifiedCount } = await jobs.updateOne(held(id, fence), [
        { $set: { state: 'completed', finishedAt: '$$NOW', expiresAt, total: '$done' } },
      ]);
      return modifiedCount === 1;
    },

    fail: (id: string, fence: number, error: string, expiresAt: Date) =>
      end(held(id, fence), 'failed', expiresAt, error),

    /** False when the job is finished already. */
    cancel: (id: string, expiresAt: Date) =>
      end({ _id: new ObjectId(id), state: { $in: unfinished } }, 'cancelled', expiresAt),

    /** Unfinished jobs that have not moved since `before`: the queue may have lost them. */
    async forgotten(before: Date, limit: number): Promise<string[]> {
      const found = jobs.find({ state: { $in: unfinished }, touchedAt: { $lt: before } });
      return idsOf(found, limit);
    },

    /** Keeps a finished job at least until then, for someone who is reading its file. */
    async keep(id: string, until: Date): Promise<void> {
      await jobs.updateOne(
        { _id: new ObjectId(id), expiresAt: { $exists: true } },
        { $max: { expiresAt: until } },
      );
    },

    async expired(now: Date, limit: number): Promise<string[]> {
      const found = jobs.find({ expiresAt: { $lt: now } });
      return idsOf(found, limit);
    },

    async ofApplication(application: string, limit: number): Promise<string[]> {
      const found = jobs.find({ application: new ObjectId(application) });
      return idsOf(found, limit);
    },

    async remove(id: string): Promise<void> {
      await jobs.deleteOne({ _id: new ObjectId(id) });
    },
  };
}
