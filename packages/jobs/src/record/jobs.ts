import { countByApplication } from '@sluice/store/count-by-application.ts';
import { idsOf } from '@sluice/store/ids.ts';
import { hasMatched } from '@sluice/store/lease.ts';
import { type Db, type Filter, ObjectId } from 'mongodb';
import { archiveJobs } from './archive-jobs.ts';
import type { ChunkTotals } from './chunk-records.ts';
import { chunkedJobs, importJobs, rehearsalJobs } from './chunked-jobs.ts';
import type { ChunkStore } from './chunks.ts';
import { erasureJobs } from './erasure-jobs.ts';
import { exportJobs } from './export-jobs.ts';
import { importSources } from './import-sources.ts';
import type { JobState, Manifest, Part } from './job.ts';
import {
  type Ending,
  type ImportDocument,
  type JobDocument,
  type JobOf,
  type JobRecord,
  newDocument,
  toRecord,
  unfinished,
  wholeKinds,
} from './job-records.ts';
import { jobSessions } from './job-sessions.ts';
import { leased, leasedJobs } from './leased-jobs.ts';
import { brief, isListed, queuedJobs } from './queued-jobs.ts';
import { verificationJobs } from './verification-jobs.ts';

/** Fields that a job gets when it completes. */
export type JobResult = Partial<Result>;
type Result = Pick<
  ImportDocument,
  'parts' | 'bytes' | 'accepted' | 'repeated' | 'rejected' | 'held' | 'done' | 'total'
> & {
  result: NonNullable<JobOf<WithResult>['result']>;
};

type WithResult = 'rehearsal' | 'replay' | 'deletion' | 'erasure' | 'unique' | 'archive' | 'verification';
/** Kinds that one write creates. */
type SingleKind = 'replay' | 'deletion' | 'erasure' | 'unique' | 'verification';
type NewJob<Kind extends SingleKind> = Pick<
  JobOf<Kind>,
  'kind' | 'application' | 'owner' | 'domain' | 'options'
> & { total?: number };

type Failure = Pick<JobRecord, 'error' | 'isDefect'>;

/** What an erasure is to erase is data of persons. */
const withoutTarget = { 'options.target': '' } as const;

/** `ending`: chunks that were begun are done before the job is over. */
export type Ended = 'ended' | 'ending' | undefined;

export type JobStore = ReturnType<typeof jobStore>;

/** The records of jobs. They are the truth, whatever the queue says. */
export function jobStore(db: Db, chunks: ChunkStore) {
  const jobs = db.collection<JobDocument>('jobs');

  const chunked = chunkedJobs(db, chunks);
  const sessions = jobSessions(db);
  const settle = async (id: string): Promise<Ended> => ((await chunked.settle(id)) ? 'ended' : 'ending');

  /** Ends a job that has no chunks. */
  const end = (filter: Filter<JobDocument>, ending: Ending) => {
    const whole = { ...filter, kind: { $in: wholeKinds } } as Filter<JobDocument>;
    const $set = { ...ending, finishedAt: new Date() };
    return hasMatched(jobs.updateOne(whole, { $set, $unset: withoutTarget }));
  };

  return {
    exports: exportJobs(db),
    archives: archiveJobs(db),
    erasures: erasureJobs(db),
    verifications: verificationJobs(db),
    imports: { ...importJobs(db), ...importSources(db, chunks) },
    rehearsals: rehearsalJobs(db, chunks),
    chunked,
    ...queuedJobs(db),
    ...leasedJobs(db),
    ...sessions,

    async create<Kind extends SingleKind>(job: NewJob<Kind>): Promise<JobOf<Kind>> {
      const document = { ...job, ...newDocument(job), total: job.total ?? 0 };
      await jobs.insertOne(document as unknown as JobDocument);
      return toRecord(document as unknown as JobDocument) as JobOf<Kind>;
    },

    /** Omits the shape of an export, which can be large: see `claim`. */
    async get(id: string): Promise<JobRecord | undefined> {
      if (!ObjectId.isValid(id)) return undefined;
      const found = await jobs.findOne({ _id: new ObjectId(id) }, { projection: { parts: 0, shape: 0 } });
      return found ? toRecord(found) : undefined;
    },

    /** Omits all large fields, for repeated reads. */
    async glance(id: string): Promise<JobRecord | undefined> {
      const found = await jobs.findOne({ _id: new ObjectId(id) }, { projection: brief });
      return found ? toRecord(found) : undefined;
    },

    /** The committed parts, in the order of the file. */
    async partsOf(id: string): Promise<Part[]> {
      const found = await jobs.findOne({ _id: new ObjectId(id) }, { projection: { parts: 1 } });
      return found?.parts ?? [];
    },

    /** The state of a job and the parts from number `from` on, at most 50. */
    async follow(
      id: string,
      from: number,
    ): Promise<({ state: JobState; parts: Part[] } & Failure) | undefined> {
      const projection = { state: 1, error: 1, isDefect: 1, parts: { $slice: [from, 50] } };
      const found = await jobs.findOne({ _id: new ObjectId(id) }, { projection });
      return found ?? undefined;
    },

    /** Newest first, at most 1,000. */
    async list(application: string, kind: JobRecord['kind']): Promise<JobRecord[]> {
      const found = jobs
        .find({ application: new ObjectId(application), kind, ...isListed })
        .sort({ createdAt: -1 })
        .limit(1_000);
      const documents = await found.project<JobDocument>(brief).toArray();
      return documents.map(toRecord);
    },

    /** How many of each application that were made since then failed, without runs of archives. */
    failedSince: (applications: string[], since: Date) =>
      countByApplication(db, 'jobs', applications, {
        createdAt: { $gte: since },
        state: 'failed',
        kind: { $ne: 'archive' },
      }),

    /** False: the lease is lost, or the job is to end otherwise. `total` becomes the number of finished entries. Without `expiresAt` the record stays. */
    async complete(
      id: string,
      fence: number,
      manifest: Manifest | undefined,
      expiresAt: Date | undefined,
      result: JobResult = {},
    ): Promise<boolean> {
      const values = Object.entries({ ...result, ...(manifest && { manifest }) }).map(([field, value]) => [
        field,
        { $literal: value },
      ]);
      const fields = {
        state: 'completed',
        finishedAt: '$$NOW',
        ...(expiresAt && { expiresAt }),
        total: '$done',
      };
      return hasMatched(
        jobs.updateOne({ ...leased(id, fence), ending: { $exists: false } }, [
          { $set: { ...fields, ...Object.fromEntries(values) } },
          { $unset: Object.keys(withoutTarget) },
        ]),
      );
    },

    /** Undefined: the lease is lost. */
    async fail(id: string, fence: number, failure: Failure, expiresAt: Date): Promise<Ended> {
      const ending = { state: 'failed', expiresAt, ...failure } as const;
      if (await end(leased(id, fence), ending)) return 'ended';
      return (await chunked.fail(id, fence, ending)) ? settle(id) : undefined;
    },

    /**
     * Lets a failed job wait again, with the progress of its chunks, as it stands, or without its parts.
     * The raised fence locks out old workers. Undefined: the job has changed meanwhile.
     */
    async retry(
      { id, fence }: Pick<JobRecord, 'id' | 'fence'>,
      standing: ChunkTotals | 'as it stands' | 'without parts',
    ): Promise<JobRecord | undefined> {
      const isAnew = standing === 'without parts';
      const kept = isAnew ? { parts: [], done: 0, bytes: 0 } : standing === 'as it stands' ? {} : standing;
      const waiting = { state: 'waiting', attempts: 0, fence: fence + 1, queuedAt: '$$NOW' };
      const gone = ['error', 'isDefect', 'metByErasure', 'finishedAt', 'expiresAt', 'leaseUntil', 'rate'];
      const retried = await jobs.findOneAndUpdate(
        { _id: new ObjectId(id), state: 'failed', fence },
        [
          { $set: { ...kept, ...waiting } },
          { $set: { mark: { at: '$$NOW', done: '$done' } } },
          { $unset: [...gone, ...(isAnew ? ['position', 'firstCreatedAt', 'lastCreatedAt'] : [])] },
        ],
        { returnDocument: 'after', projection: { parts: 0, shape: 0 } },
      );
      return retried ? toRecord(retried) : undefined;
    },

    /** Undefined: the job is over. Removes large fields of an export, since cancelled jobs count in no quota. */
    async cancel(id: string, expiresAt: Date): Promise<Ended> {
      const _id = new ObjectId(id);
      const ending = { state: 'cancelled', expiresAt } as const;
      await sessions.interrupt(id);
      if (await end({ _id, state: { $in: unfinished } }, ending)) {
        await jobs.updateOne({ _id, kind: 'export' }, { $unset: { shape: '', 'options.columns': '' } });
        return 'ended';
      }
      return (await chunked.cancel(id, ending)) ? settle(id) : undefined;
    },

    /** Keeps a finished job at least until then, for a client that reads its file. */
    async keep(id: string, until: Date): Promise<void> {
      await jobs.updateOne(
        { _id: new ObjectId(id), expiresAt: { $exists: true } },
        { $max: { expiresAt: until } },
      );
    },

    async expired(now: Date, limit: number): Promise<Pick<JobRecord, 'id' | 'kind'>[]> {
      const found = jobs
        .find({ expiresAt: { $lt: now } })
        .project<JobDocument>({ kind: 1 })
        .limit(limit);
      return (await found.toArray()).map(({ _id, kind }) => ({ id: _id.toHexString(), kind }));
    },

    /** False: the job is not expired any more, since a client reads its file or retries the job. */
    async removeExpired(id: string, now: Date): Promise<boolean> {
      const filter = { _id: new ObjectId(id), expiresAt: { $lt: now } };
      return (await jobs.deleteOne(filter)).deletedCount === 1;
    },

    async ofApplication(application: string, limit: number): Promise<string[]> {
      return idsOf(jobs.find({ application: new ObjectId(application) }), limit);
    },

    async remove(id: string): Promise<void> {
      await jobs.deleteOne({ _id: new ObjectId(id) });
    },
  };
}
