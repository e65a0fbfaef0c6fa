import { type Db, ObjectId } from 'mongodb';
import { fairTurns } from './fair-turns.ts';
import {
  type ExportDocument,
  type ExportJob,
  type ExportShape,
  type JobDocument,
  type Part,
  type Position,
  toRecord,
} from './job-records.ts';
import { fromFailed, waitAgain } from './retry.ts';
import { turnStore } from './turns.ts';

export type NewExport = Pick<
  ExportJob,
  'application' | 'owner' | 'domain' | 'options' | 'cut' | 'leafCount' | 'hasRest' | 'hasLarge' | 'transient'
>;

const turnsAtOnce = 10;

/** What only exports have: they are written by one worker at a time, part after part. */
export function exportJobs(db: Db) {
  const jobs = db.collection<ExportDocument>('jobs');
  const all = db.collection<JobDocument>('jobs');
  const turns = turnStore(db);

  /** Whoever had the job can write no more. */
  async function take(id: ObjectId, leaseMs: number): Promise<ExportJob | undefined> {
    const claimed = await jobs.findOneAndUpdate(
      { _id: id, state: { $in: ['waiting', 'active'] }, $expr: { $not: { $gt: ['$leaseUntil', '$$NOW'] } } },
      [
        {
          $set: {
            state: 'active',
            startedAt: { $ifNull: ['$startedAt', '$$NOW'] },
            touchedAt: '$$NOW',
            leaseUntil: { $add: ['$$NOW', leaseMs] },
            fence: { $add: ['$fence', 1] },
            barren: { $add: ['$barren', 1] },
          },
        },
      ],
      { returnDocument: 'after', projection: { parts: 0 } },
    );
    return claimed ? toRecord(claimed) : undefined;
  }

  return {
    async create(job: NewExport): Promise<ExportJob> {
      const now = new Date();
      const document: ExportDocument = {
        ...job,
        _id: new ObjectId(),
        application: new ObjectId(job.application),
        owner: new ObjectId(job.owner),
        kind: 'export',
        state: 'waiting',
        fence: 0,
        barren: 0,
        done: 0,
        total: 0,
        bytes: 0,
        parts: [],
        createdAt: now,
        queuedAt: now,
        touchedAt: now,
      };
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
          ])
        : waitAgain<ExportDocument>({});
      const retried = await jobs.findOneAndUpdate({ ...fromFailed(seen), transient: false }, change, {
        returnDocument: 'after',
        projection: { parts: 0, shape: 0 },
      });
      return retried ? toRecord(retried) : undefined;
    },

    /** The job whose turn it is, held for `leaseMs`; undefined when none waits. */
    async claim(leaseMs: number): Promise<ExportJob | undefined> {
      for (;;) {
        const waiting = await fairTurns(all, 'export', turnsAtOnce);
        if (waiting.length === 0) return undefined;
        for (const { id } of waiting) {
          const taken = await take(id, leaseMs);
          if (!taken) continue;
          await turns.note('export', taken.owner);
          return taken;
        }
      }
    },

    /** Whether someone waits for whom less is under way than for this owner. */
    async isOthersTurn(owner: string): Promise<boolean> {
      const [turn] = await fairTurns(all, 'export', 1);
      if (!turn || turn.owner.equals(owner)) return false;
      const mine = await jobs.countDocuments({
        kind: 'export',
        state: 'active',
        owner: new ObjectId(owner),
        $expr: { $gt: ['$leaseUntil', '$$NOW'] },
      });
      return turn.active < mine;
    },

    async setTotal(id: string, total: number): Promise<void> {
      await jobs.updateOne({ _id: new ObjectId(id), state: 'active' }, { $set: { total } });
    },

    /** False when the job is no longer this worker's, or was cancelled. */
    async setShape(id: string, fence: number, shape: ExportShape): Promise<boolean> {
      const { matchedCount } = await jobs.updateOne(
        { _id: new ObjectId(id), state: 'active', fence },
        { $set: { shape, touchedAt: new Date(), barren: 0 } },
      );
      return matchedCount === 1;
    },

    /** Makes stored parts count, all at once. False when the job is no longer this worker's, or was cancelled. */
    async commitParts(
      id: string,
      fence: number,
      { parts, position, leaseMs, ...times }: PartsCommit,
    ): Promise<boolean> {
      const now = Date.now();
      const sum = (of: 'rows' | 'bytes') => parts.reduce((total, part) => total + part[of], 0);
      const { modifiedCount } = await jobs.updateOne(
        { _id: new ObjectId(id), state: 'active', fence },
        {
          $push: { parts: { $each: parts } },
          $inc: { done: sum('rows'), bytes: sum('bytes') },
          $set: { position, touchedAt: new Date(now), barren: 0, ...times },
          $max: { leaseUntil: new Date(now + leaseMs) },
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
  leaseMs: number;
}
