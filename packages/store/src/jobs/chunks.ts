import { type Db, type Document, type Filter, ObjectId, type UpdateFilter } from 'mongodb';
import type { Writer } from '../entries/writer.ts';
import type { Chunk, ChunkDocument, ChunkResult, ChunkTotals, ClaimedChunk } from './chunk-records.ts';
import { chunkTimes } from './chunk-times.ts';
import { claimed, fromNow, hasMatched, isFree, released } from './lease.ts';

/** Of the primary: what is read there comes before the write that follows, whether a majority has it or not. */
const ofPrimary = { readConcern: { level: 'local' } } as const;

const toChunk = ({
  _id,
  job,
  application,
  stamp = 0,
  earlier = [],
  ...rest
}: ChunkDocument): ClaimedChunk => ({
  ...rest,
  id: _id.toHexString(),
  job: job.toHexString(),
  application: application.toHexString(),
  stamp,
  earlier,
});

export type ChunkStore = ReturnType<typeof chunkStore>;

/** The state of imports, chunk by chunk. Who takes one holds it by a lease; their order in time is that of the file. */
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

    async add({ job, application, ...chunk }: Omit<Chunk, 'id'>): Promise<void> {
      await chunks.insertOne({
        ...chunk,
        _id: new ObjectId(),
        job: new ObjectId(job),
        application: new ObjectId(application),
        state: 'open',
        fence: 0,
        attempts: 0,
        counted: 0,
      });
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
    commit: (id: string, fence: number, result: ChunkResult): Promise<boolean> =>
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

    /** Jobs that have chunks. */
    async jobs(): Promise<string[]> {
      return (await chunks.distinct('job')).map((id) => id.toHexString());
    },

    /** For an import that is tried again: who has a chunk of it can write no more, and no failure counts any longer. */
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
