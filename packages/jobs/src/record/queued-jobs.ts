import { idsOf } from '@sluice/store/ids.ts';
import { isFree, isLeased } from '@sluice/store/lease.ts';
import { type Db, type Filter, ObjectId } from 'mongodb';
import { type JobState, jobKinds } from './job.ts';
import { type JobDocument, type JobRecord, toRecord, unfinished } from './job-records.ts';

/** Excludes all large fields. */
export const brief = {
  parts: 0,
  shape: 0,
  'options.columns': 0,
  'manifest.columns': 0,
  'options.rawSchema': 0,
  'options.target': 0,
  'result.groups': 0,
  'result.by_key': 0,
  files: 0,
  'upload.tags': 0,
};

/** Without imports whose file comes in one request, and jobs that are being made. */
export const isListed: Filter<JobDocument> = {
  $or: [{ received: { $ne: false } }, { source: { $exists: true } }],
};

/** The fields that decide a job's place among the jobs of its owner. */
export type Placed = Pick<JobRecord, 'id' | 'kind' | 'owner' | 'queuedAt'>;

type Kinds = readonly JobRecord['kind'][];

/** Unfinished jobs: their number, their order in the queue, and jobs that the queue may have lost. */
export function queuedJobs(db: Db) {
  const jobs = db.collection<JobDocument>('jobs');
  const unended = (kinds: Kinds): Filter<JobDocument> => ({
    kind: { $in: [...kinds] },
    state: { $in: unfinished },
    received: { $ne: false },
  });
  const queued = ({ kind, owner }: Pick<Placed, 'kind' | 'owner'>): Filter<JobDocument> => ({
    ...unended([kind]),
    owner: new ObjectId(owner),
  });

  return {
    /** Jobs of all applications, newest first. */
    async newest(state: JobState | undefined, limit: number): Promise<JobRecord[]> {
      const found = jobs.find({ ...(state && { state }), ...isListed });
      const documents = found.project<JobDocument>(brief).sort({ createdAt: -1 }).limit(limit);
      return (await documents.toArray()).map(toRecord);
    },

    /** Exports, imports and runs of archives of an application that completed or failed since, in that order, without streamed exports. */
    async endedSince(application: string, since: Date): Promise<JobRecord[]> {
      const found = jobs.find({
        application: new ObjectId(application),
        kind: { $in: ['export', 'import', 'archive'] },
        state: { $in: ['completed', 'failed'] },
        finishedAt: { $gte: since },
        transient: { $ne: true },
      } as Filter<JobDocument>);
      return (await found.project<JobDocument>(brief).sort({ finishedAt: 1 }).toArray()).map(toRecord);
    },

    /** Counts an owner's unfinished jobs up to `most`, with arriving imports. */
    async unfinishedOfOwner(owner: string, most: number): Promise<number> {
      const filter: Filter<JobDocument> = {
        kind: { $in: [...jobKinds] },
        owner: new ObjectId(owner),
        state: { $in: unfinished },
      };
      return jobs.countDocuments(filter, { limit: most });
    },

    /**
     * Whether the entries of an application have to stay in MongoDB. An import or a replay that is under way can store lines again, and so can
     * a failed import. An export may not follow entries into an archive.
     */
    async needStored(application: string): Promise<boolean> {
      const filter = {
        application: new ObjectId(application),
        $or: [
          { kind: { $in: ['import', 'replay'] }, state: { $in: unfinished } },
          { kind: 'import', state: 'failed' },
          { kind: 'export', state: 'active', followsArchive: { $ne: true } },
        ],
      } as Filter<JobDocument>;
      return (await jobs.findOne(filter, { projection: { _id: 1 } })) !== null;
    },

    /** The job's number among the unfinished jobs of its owner and kind, from 1. */
    placeOf: (job: Omit<Placed, 'id'>): Promise<number> =>
      jobs.countDocuments({ ...queued(job), queuedAt: { $lte: job.queuedAt } }),

    /** The waiting jobs of the same owner and kind, in order, with their places after the running jobs. */
    async waitingOf(
      job: Pick<Placed, 'kind' | 'owner'>,
      limit: number,
    ): Promise<{ id: string; place: number }[]> {
      const underWay = await jobs.countDocuments({ ...queued(job), $expr: isLeased });
      const free = jobs.find({ ...queued(job), $expr: isFree }).sort({ queuedAt: 1 });
      return (await idsOf(free, limit)).map((id, at) => ({ id, place: underWay + at + 1 }));
    },

    /** Whether a job waits whose owner has fewer running jobs than this owner. */
    async isOutweighed(kinds: Kinds, owner: string): Promise<boolean> {
      const owners = await jobs
        .aggregate<{ _id: ObjectId; underWay: number; waiting: number }>([
          { $match: unended(kinds) },
          { $set: { isLeased } },
          {
            $group: {
              _id: '$owner',
              underWay: { $sum: { $cond: ['$isLeased', 1, 0] } },
              waiting: { $sum: { $cond: ['$isLeased', 0, 1] } },
            },
          },
        ])
        .toArray();
      const mine = owners.find(({ _id }) => _id.toHexString() === owner)?.underWay ?? 0;
      return owners.some(({ underWay, waiting }) => waiting > 0 && underWay < mine);
    },

    /** The oldest 500 jobs that have waited longer than `waitedMs`: Redis may have lost them. */
    async forgotten(kinds: Kinds, waitedMs: number): Promise<Placed[]> {
      const since = new Date(Date.now() - waitedMs);
      const found = jobs.find({ ...unended(kinds), queuedAt: { $lt: since }, $expr: isFree });
      const documents = found.project<JobDocument>(brief).sort({ queuedAt: 1 }).limit(500);
      return (await documents.toArray()).map(toRecord);
    },
  };
}
