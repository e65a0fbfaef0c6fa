import type { Writer } from '@sluice/store/entries/writer.ts';
import { claimed, fromNow, hasMatched, isFree, released } from '@sluice/store/lease.ts';
import {
  type ClientSession,
  type Collection,
  type Db,
  type Document,
  type Filter,
  ObjectId,
  type UpdateFilter,
} from 'mongodb';
import type {
  CheckedKey,
  Chunk,
  ChunkDocument,
  ChunkResult,
  ChunkTotals,
  ClaimedChunk,
  ClaimedRange,
  RangeChunk,
  ReasonGroup,
} from './chunk-records.ts';

/** Reads from the primary, so that the next write sees the same state. */
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

const toDo = { state: 'open', left: { $ne: true } } as const;

const fresh = ({ job, application, seq, lines }: Omit<RangeChunk, 'id' | 'range'>) => ({
  seq,
  lines,
  _id: new ObjectId(),
  job: new ObjectId(job),
  application: new ObjectId(application),
  state: 'open' as const,
  fence: 0,
  attempts: 0,
  counted: 0,
});

export type NewRange = Pick<RangeChunk, 'lines' | 'range'>;

export type ChunkStore = ReturnType<typeof chunkStore>;

/** The chunks of imports and rehearsals. A worker has a chunk under a lease; times of chunks follow the order of the file. */
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

    async add({ part, bytes, ...chunk }: Omit<Chunk, 'id'>, session?: ClientSession): Promise<void> {
      await chunks.insertOne({ ...fresh(chunk), part, bytes }, { session });
    },

    /** Adds the chunks of a rehearsal, in the order of its file. */
    async addRanges(job: string, application: string, ranges: NewRange[]): Promise<void> {
      const documents = ranges.map(({ lines, ...range }, seq) => ({
        ...fresh({ job, application, seq, lines }),
        ...range,
        bytes: 0,
      }));
      if (documents.length > 0) await chunks.insertMany(documents);
    },

    /** Gives one worker the first free chunk of a job; undefined: there is none. */
    async claim(job: string, leaseMs: number): Promise<ClaimedChunk | undefined> {
      for (;;) {
        const next = await chunks.findOne(
          { ...ofJob(job), ...toDo, $expr: isFree },
          { sort: { seq: 1 }, projection: { seq: 1, application: 1 }, ...ofPrimary },
        );
        if (!next) return undefined;
        const before = await chunks.findOne(
          { ...ofJob(job), state: { $in: ['open', 'done'] }, seq: next.seq - 1 },
          { projection: { stamp: 1 }, ...ofPrimary },
        );
        const taken = await writer.write(
          (now) => {
            const stamp = { $ifNull: ['$stamp', Math.max(now(), before?.stamp ?? 0)] };
            return chunks.findOneAndUpdate(
              { _id: next._id, ...toDo, $expr: isFree },
              [{ $set: { ...claimed(leaseMs), stamp } }],
              { returnDocument: 'after' },
            );
          },
          { applications: [next.application.toHexString()] },
        );
        if (taken) return toChunk(taken);
      }
    },

    /** Like `claim`, for a rehearsal: its chunks have no times, since they store nothing. */
    async claimRange(job: string, leaseMs: number): Promise<ClaimedRange | undefined> {
      const taken = await chunks.findOneAndUpdate(
        { ...ofJob(job), ...toDo, $expr: isFree },
        [{ $set: claimed(leaseMs) }],
        { sort: { seq: 1 }, returnDocument: 'after' },
      );
      return taken ? toRange(taken) : undefined;
    },

    /** Renews the lease and counts finished lines; false: the lease is lost. */
    renew: (id: string, fence: number, counted: number, leaseMs: number): Promise<boolean> =>
      changed(id, fence, [
        { $set: { counted: { $max: ['$counted', counted] }, leaseUntil: fromNow(leaseMs) } },
      ]),

    /** Hands a chunk back. `counts`: the chunk itself may be the cause of the failure. */
    async release(id: string, fence: number, counts: boolean): Promise<void> {
      await changed(id, fence, [{ $set: released(counts) }]);
    },

    /** False: the lease is lost. */
    commit: (id: string, fence: number, result: ChunkResult & { lines?: number }): Promise<boolean> =>
      changed(id, fence, { $set: { ...result, state: 'done' }, $unset: { leaseUntil: '' } }),

    /** Takes the chunks of a job that no worker has begun away from all workers. */
    async leave(job: string): Promise<void> {
      await chunks.updateMany({ ...ofJob(job), state: 'open', fence: 0 }, { $set: { left: true } });
    },

    /** Takes a chunk that cannot be finished away from all workers. `accepted`: how many of its lines are stored. False: the lease is lost. */
    giveUp: (id: string, fence: number, accepted: number): Promise<boolean> =>
      changed(id, fence, [
        {
          $set: {
            left: true,
            accepted,
            counted: accepted,
            fence: { $add: ['$fence', 1] },
            // A retry need not wait for the lease.
            leaseUntil: '$$NOW',
          },
        },
      ]),

    /** Whether all chunks of a job are done, but for those that are left. */
    async areDone(job: string): Promise<boolean> {
      return (await chunks.findOne({ ...ofJob(job), ...toDo }, { projection: { _id: 1 } })) === null;
    },

    async totals(job: string): Promise<ChunkTotals> {
      const isDone = { $eq: ['$state', 'done'] };
      const sums = {
        done: { $sum: { $cond: [isDone, '$lines', '$counted'] } },
        accepted: { $sum: '$accepted' },
        repeated: { $sum: '$repeated' },
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
      return found ?? { done: 0, accepted: 0, repeated: 0, rejected: 0, held: 0 };
    },

    /** The reports of a job, in the order of the file. */
    async *reports(job: string): AsyncGenerator<{ part: string; bytes: number; rows: number }> {
      const found = chunks.find({ ...ofJob(job), state: 'done', report: { $exists: true } });
      for await (const { report, rejected = 0 } of found.sort({ seq: 1 }))
        if (report) yield { ...report, rows: rejected };
    },

    /** The groups of a rehearsal, in the order of the file. Each chunk lists a reason once. */
    async *groups(job: string): AsyncGenerator<ReasonGroup> {
      const found = chunks.find({ ...ofJob(job), state: 'done', groups: { $exists: true } });
      for await (const { groups = [] } of found.project<ChunkDocument>({ groups: 1 }).sort({ seq: 1 }))
        yield* groups;
    },

    /** What a rehearsal counts by key. Each chunk lists a key once. */
    async *keys(job: string): AsyncGenerator<CheckedKey> {
      const found = chunks.find({ ...ofJob(job), state: 'done', keys: { $exists: true } });
      for await (const { keys = [] } of found.project<ChunkDocument>({ keys: 1 })) yield* keys;
    },

    /** Jobs that have chunks. */
    async jobs(): Promise<string[]> {
      return (await chunks.distinct('job')).map((id) => id.toHexString());
    },

    /** Prepares a retry: locks out earlier workers, forgets failed attempts, and counts chunks that were given up from 0. */
    async reopen(job: string): Promise<void> {
      // Of a chunk that nobody has begun nothing is stored.
      const fence = { $cond: [{ $gt: ['$fence', 0] }, { $add: ['$fence', 1] }, 0] };
      await chunks.updateMany({ ...ofJob(job), state: 'open' }, [
        { $set: { attempts: 0, counted: 0, fence } },
        { $unset: ['left', 'accepted'] },
      ]);
    },

    /** Ids of the parts with the lines of a job. */
    async partsOf(job: string, session: ClientSession): Promise<string[]> {
      const found = chunks.find(ofJob(job), { session, projection: { part: 1 } });
      return (await found.toArray()).flatMap(({ part }) => part ?? []);
    },

    async remove(job: string, session?: ClientSession): Promise<void> {
      await chunks.deleteMany(ofJob(job), { session });
    },
  };
}

/** How long a worker that lost its connection may still write. */
const writingMs = 60_000;
const isIdle = { $not: { $gt: ['$leaseUntil', fromNow(-writingMs)] } };

/** Milestones stay below the times of chunks, so a chunk loses its time once no worker can write with it. */
const chunkTimes = (chunks: Collection<ChunkDocument>) => ({
  /**
   * Removes the times of a failed job's chunks once no worker can write with them, so that milestones need not wait.
   * The next claim of a chunk sets a new time.
   */
  async dropTimes(job: string): Promise<void> {
    const open = { job: new ObjectId(job), state: 'open', stamp: { $exists: true } } as const;
    await chunks.updateMany({ ...open, $expr: isIdle }, [
      { $set: { earlier: { $concatArrays: [{ $ifNull: ['$earlier', []] }, ['$stamp']] } } },
      { $unset: 'stamp' },
    ]);
  },

  /** Removes the chunks of an ended job once no worker can write them. */
  async removeIdle(job: string): Promise<void> {
    await chunks.deleteMany({ job: new ObjectId(job), $expr: isIdle });
  },
});
