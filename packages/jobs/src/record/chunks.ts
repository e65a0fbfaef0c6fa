import type { Writer } from '@sluice/store/entries/writer.ts';
import { claimed, fromNow, hasMatched, isFree, released } from '@sluice/store/lease.ts';
import { type Collection, type Db, type Document, type Filter, ObjectId, type UpdateFilter } from 'mongodb';
import type {
  Chunk,
  ChunkDocument,
  ChunkResult,
  ChunkTotals,
  ClaimedChunk,
  ClaimedRange,
  RangeChunk,
  ReasonGroup,
} from './chunk-records.ts';

/** Of the primary: what is read there comes before the write that follows, whether a majority has it or not. */
const ofPrimary = { readConcern: { level: 'local' } } as const;

const toRange = ({ _id, job, application, ...rest }: ChunkDocument) =>
  ({
    ...rest,
    id: _id.toHexString(),
    job: job.toHexString(),
    application: application.toHexString(),
  }) as ClaimedRange;

const toChunk = ({ stamp = 0, earlier = [], ...rest }: ChunkDocument) =>
  ({ ...toRange(rest), stamp, earlier }) as unknown as ClaimedChunk;

/** What every chunk begins with. */
const fresh = ({ job, application, seq, lines }: Omit<RangeChunk, 'id' | 'range'>) => ({
  ...{ seq, lines, _id: new ObjectId(), job: new ObjectId(job), application: new ObjectId(application) },
  ...{ state: 'open' as const, fence: 0, attempts: 0, counted: 0 },
});

export type NewRange = Pick<RangeChunk, 'lines' | 'range'>;

export type ChunkStore = ReturnType<typeof chunkStore>;

/** The state of imports and rehearsals, chunk by chunk. Who takes one holds it by a lease; their order in time is that of the file. */
export function chunkStore(db: Db, writer: Writer) {
  const chunks = db.collection<ChunkDocument>('chunks');
  const leased = (id: string, fence: number): Filter<ChunkDocument> => ({
    _id: new ObjectId(id),
    state: 'open',
    fence,
  });
  const ofJob = (job: string) => ({ job: new ObjectId(job) });

  const changed = (id: string, fence: number, change: UpdateFilter<ChunkDocument> | Document[]) =>
    hasMatched(chunks.updateOne(leased(id, fence), change));

  return {
    ...chunkTimes(chunks),

    async add({ part, bytes, ...chunk }: Omit<Chunk, 'id'>): Promise<void> {
      await chunks.insertOne({ ...fresh(chunk), part, bytes });
    },

    /** Of a rehearsal, in the order of its file. */
    async addRanges(job: string, application: string, ranges: NewRange[]): Promise<void> {
      const documents = ranges.map(({ lines, ...range }, seq) => ({
        ...fresh({ job, application, seq, lines }),
        ...{ ...range, bytes: 0 },
      }));
      if (documents.length > 0) await chunks.insertMany(documents);
    },

    /** Gives one worker the first chunk of a job that nobody has; undefined when there is none. */
    async claim(job: string, leaseMs: number): Promise<ClaimedChunk | undefined> {
      for (;;) {
        const next = await chunks.findOne(
          { ...ofJob(job), state: 'open', $expr: isFree },
          { sort: { seq: 1 }, projection: { seq: 1 }, ...ofPrimary },
        );
        if (!next) return undefined;
        const before = await chunks.findOne(
          { ...ofJob(job), state: { $in: ['open', 'done'] }, seq: next.seq - 1 },
          { projection: { stamp: 1 }, ...ofPrimary },
        );
        const taken = await writer.write((now) => {
          const stamp = { $ifNull: ['$stamp', Math.max(now(), before?.stamp ?? 0)] };
          return chunks.findOneAndUpdate(
            { _id: next._id, state: 'open', $expr: isFree },
            [{ $set: { ...claimed(leaseMs), stamp } }],
            { returnDocument: 'after' },
          );
        });
        if (taken) return toChunk(taken);
      }
    },

    /** The same for a rehearsal. Its chunks have no times: they store nothing. */
    async claimRange(job: string, leaseMs: number): Promise<ClaimedRange | undefined> {
      const taken = await chunks.findOneAndUpdate(
        { ...ofJob(job), state: 'open', $expr: isFree },
        [{ $set: claimed(leaseMs) }],
        { sort: { seq: 1 }, returnDocument: 'after' },
      );
      return taken ? toRange(taken) : undefined;
    },

    /** Says that the worker is alive and how many lines are done; false when the chunk is no longer its own. */
    renew: (id: string, fence: number, counted: number, leaseMs: number): Promise<boolean> =>
      changed(id, fence, [
        { $set: { counted: { $max: ['$counted', counted] }, leaseUntil: fromNow(leaseMs) } },
      ]),

    /** Says that entries of so long ago (ms since the epoch) will be stored; false when the chunk is no longer this worker's. */
    lower: (id: string, fence: number, since: number): Promise<boolean> =>
      changed(id, fence, { $min: { stamp: since } }),

    /** Hands a chunk back. `counts`: the attempt may have failed for what is in it. */
    async release(id: string, fence: number, counts: boolean): Promise<void> {
      await changed(id, fence, [{ $set: released(counts) }]);
    },

    /** False when the chunk is no longer this worker's. */
    commit: (id: string, fence: number, result: ChunkResult & { lines?: number }): Promise<boolean> =>
      changed(id, fence, { $set: { ...result, state: 'done' }, $unset: { leaseUntil: '' } }),

    /** Whether all chunks of a job are done. */
    async areDone(job: string): Promise<boolean> {
      return (await chunks.findOne({ ...ofJob(job), state: 'open' }, { projection: { _id: 1 } })) === null;
    },

    async totals(job: string): Promise<ChunkTotals> {
      const isDone = { $eq: ['$state', 'done'] };
      const sums = {
        done: { $sum: { $cond: [isDone, '$lines', '$counted'] } },
        accepted: { $sum: '$accepted' },
        rejected: { $sum: '$rejected' },
        held: { $sum: { $cond: [isDone, 0, '$bytes'] } },
      };
      const [found] = await chunks
        .aggregate<ChunkTotals>([
          { $match: ofJob(job) },
          { $group: { _id: null, ...sums } },
          { $project: { _id: 0 } },
        ])
        .toArray();
      return found ?? { done: 0, accepted: 0, rejected: 0, held: 0 };
    },

    /** The reports of a job in the order of the file. */
    async *reports(job: string): AsyncGenerator<{ part: string; bytes: number; rows: number }> {
      const found = chunks.find({ ...ofJob(job), state: 'done', report: { $exists: true } });
      for await (const { report, rejected = 0 } of found.sort({ seq: 1 }))
        if (report) yield { ...report, rows: rejected };
    },

    /** Of what does not conform in a rehearsal, in the order of the file; a reason comes once for each chunk. */
    async *groups(job: string): AsyncGenerator<ReasonGroup> {
      const found = chunks.find({ ...ofJob(job), state: 'done', groups: { $exists: true } });
      for await (const { groups = [] } of found.project<ChunkDocument>({ groups: 1 }).sort({ seq: 1 }))
        yield* groups;
    },

    /** Jobs that have chunks. */
    async jobs(): Promise<string[]> {
      return (await chunks.distinct('job')).map((id) => id.toHexString());
    },

    /** For a job that is tried again: who has a chunk of it can write no more, and no failure counts any longer. */
    async reopen(job: string): Promise<void> {
      await chunks.updateMany(
        { ...ofJob(job), state: 'open' },
        { $set: { attempts: 0 }, $inc: { fence: 1 } },
      );
    },

    async remove(job: string): Promise<void> {
      await chunks.deleteMany(ofJob(job));
    },
  };
}

/** As long as a worker that was cut off may still be writing. */
const writingMs = 60_000;
const isIdle = { $not: { $gt: ['$leaseUntil', fromNow(-writingMs)] } };

/** Milestones stay below the times of chunks; a chunk gives its time up once nobody can be writing with it. */
const chunkTimes = (chunks: Collection<ChunkDocument>) => ({
  /**
   * Removes the times of a failed job's chunks when no worker can still use them. A retry sets new times.
   *
   * Milestones then do not wait for a retry.
   */
  async dropTimes(job: string): Promise<void> {
    const open = { job: new ObjectId(job), state: 'open', stamp: { $exists: true } } as const;
    await chunks.updateMany({ ...open, $expr: isIdle }, [
      { $set: { earlier: { $concatArrays: [{ $ifNull: ['$earlier', []] }, ['$stamp']] } } },
      { $unset: 'stamp' },
    ]);
  },

  /** Removes the chunks of an ended job that nobody can be writing any more. */
  async removeIdle(job: string): Promise<void> {
    await chunks.deleteMany({ job: new ObjectId(job), $expr: isIdle });
  },
});
