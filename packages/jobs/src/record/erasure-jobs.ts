import { idsOf } from '@sluice/store/ids.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import { type ClientSession, type Db, type Filter, ObjectId } from 'mongodb';
import type { ErasureJob, ErasureRecord, ErasureStep } from './erasure-record.ts';
import { type ErasureDocument, type JobDocument, newDocument, unfinished } from './job-records.ts';

type Leased = Pick<ErasureJob, 'id' | 'fence'>;
type Progress = Partial<Pick<ErasureJob, 'awaited' | 'unswept' | 'until' | 'after'>>;

/** The error of exports that an erasure met. */
const erasedMeanwhile = 'entries were erased while it was made: retry it for a file without them';
/** These have no payloads: they are neither waited for nor removed. */
const withoutPayloads: JobDocument['kind'][] = ['erasure', 'archive', 'verification'];
const toIds = (ids: string[]) => ids.map((id) => new ObjectId(id));

/** Operations of erasures: on the erasure's own record, and on the other jobs of its application. */
export function erasureJobs(db: Db) {
  const jobs = db.collection<JobDocument>('jobs');
  const erasures = db.collection<ErasureDocument>('jobs');
  const others = (application: string): Filter<JobDocument> => ({
    application: new ObjectId(application),
    kind: { $nin: withoutPayloads },
  });

  /** Notes progress, and adds to the counts, in the transaction that removes the counted entries. Throws LeaseLost. */
  async function note(
    { id, fence }: Leased,
    progress: Progress,
    counts: Partial<NonNullable<ErasureJob['result']>> = {},
    session?: ClientSession,
  ): Promise<void> {
    const { entries = 0, refused = 0, files = 0 } = counts;
    const found = await erasures.updateOne(
      { _id: new ObjectId(id), fence, state: 'active' },
      {
        $set: { ...progress, attempts: 0 },
        $inc: {
          done: entries + refused,
          'result.entries': entries,
          'result.refused': refused,
          'result.files': files,
        },
      },
      { session },
    );
    if (found.matchedCount === 0) throw new LeaseLost();
  }

  return {
    note,

    /** Throws LeaseLost. */
    async enter({ id, fence }: Leased, step: ErasureStep): Promise<void> {
      const own = { _id: new ObjectId(id), fence, state: 'active' } as const;
      const { matchedCount } = await erasures.updateOne(own, {
        $set: { step },
        $unset: { awaited: '', after: '' },
      });
      if (matchedCount === 0) throw new LeaseLost();
    },

    async resultOf(id: string): Promise<NonNullable<ErasureJob['result']>> {
      const found = await erasures.findOne({ _id: new ObjectId(id) }, { projection: { result: 1 } });
      return found?.result ?? { entries: 0, refused: 0, files: 0 };
    },

    /** Takes over the record of an erasure that a restored backup does not know. */
    async adopt({ id, application, owner, domain, by, at, ...result }: ErasureRecord & { owner: string }) {
      const document: Omit<ErasureDocument, '_id'> = {
        ...newDocument({ application, owner }),
        kind: 'erasure',
        domain,
        state: 'completed',
        done: result.entries + result.refused,
        total: result.entries + result.refused,
        createdAt: at,
        finishedAt: at,
        options: { by },
        result,
      };
      const { _id, ...fields } = document as ErasureDocument;
      await erasures.updateOne({ _id: new ObjectId(id) }, { $setOnInsert: fields }, { upsert: true });
    },

    /** Removes all jobs of a restored application that may have payloads, with those that are not over. Returns their ids. */
    async clear(application: string): Promise<string[]> {
      const ids = await idsOf(jobs.find(others(application)), 0);
      await jobs.deleteMany({ _id: { $in: toIds(ids) } });
      return ids;
    },

    /** Unfinished jobs that may store or copy payloads which they have read; exports are not among them. */
    async underWay(application: string): Promise<string[]> {
      const kind = { $nin: [...withoutPayloads, 'export' as const] };
      return idsOf(jobs.find({ ...others(application), kind, state: { $in: unfinished } }), 0);
    },

    /** Those that are not over yet. */
    stillUnderWay: (ids: string[]): Promise<string[]> =>
      idsOf(jobs.find({ _id: { $in: toIds(ids) }, state: { $in: unfinished } }), 0),

    /** Fails exports that may have read erased entries. A retry begins anew. */
    async failExports(application: string, expiresAt: Date): Promise<void> {
      const ended = { state: 'failed', finishedAt: '$$NOW', expiresAt, error: erasedMeanwhile };
      await jobs.updateMany({ ...others(application), kind: 'export', state: { $in: unfinished } }, [
        {
          $set: {
            ...ended,
            metByErasure: true,
            parts: [],
            done: 0,
            bytes: 0,
            fence: { $add: ['$fence', 1] },
          },
        },
        { $unset: ['position', 'shape', 'firstCreatedAt', 'lastCreatedAt', 'leaseUntil'] },
      ]);
    },

    /** Exports that erasures have failed, and that nobody has retried. */
    failedExports: (application: string): Promise<string[]> =>
      idsOf(jobs.find({ ...others(application), kind: 'export', state: 'failed', metByErasure: true }), 0),

    /**
     * Removes jobs that are over: their files and records may have copies of payloads. Counts their files, and notes the jobs, whose parts are
     * still to be swept. A file that went to a bucket stays there. Returns their ids; none: no job is left.
     */
    removeOver(job: ErasureJob, limit: number, session: ClientSession): Promise<string[]> {
      const isOver = { state: { $nin: unfinished }, metByErasure: { $ne: true } };
      return session.withTransaction(async () => {
        const found = await jobs
          .find({ ...others(job.application), ...isOver }, { session })
          .project<{ _id: ObjectId; manifest?: object; transient?: boolean; target?: object }>({
            manifest: 1,
            transient: 1,
            target: 1,
          })
          .limit(limit)
          .toArray();
        const ids = found.map(({ _id }) => _id);
        await jobs.deleteMany({ _id: { $in: ids } }, { session });
        const unswept = ids.map((id) => id.toHexString());
        const files = found.filter(
          ({ manifest, transient, target }) => manifest && !transient && !target,
        ).length;
        await note(job, { unswept }, { files }, session);
        return unswept;
      });
    },
  };
}
