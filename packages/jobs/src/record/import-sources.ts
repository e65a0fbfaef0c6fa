import { inTransaction } from '@sluice/store/in-transaction.ts';
import { claimed, isFree } from '@sluice/store/lease.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import {
  type ClientSession,
  type Db,
  type Document,
  type Filter,
  ObjectId,
  type UpdateFilter,
} from 'mongodb';
import type { Chunk } from './chunk-records.ts';
import type { ChunkStore } from './chunks.ts';
import type { Part } from './job.ts';
import { type ImportDocument, type ImportJob, toRecord, unfinished } from './job-records.ts';
import { begun } from './progress.ts';

/** An unfinished file is removed this long after its last bytes. */
const unfinishedMs = 24 * 3_600_000;
/** Its pieces are listed in the record of the job. */
export const mostPieces = 20_000;

type Leased = Pick<ImportJob, 'id' | 'fence'>;

/** `held`: what the store holds of the import. */
interface Arrived {
  held: number;
  'source.bytes': number;
}

export const fileExpiry = () => new Date(Date.now() + unfinishedMs);

/** Files of imports that clients send in pieces, or that workers download. A worker cuts such a file into chunks. */
export function importSources(db: Db, chunks: Pick<ChunkStore, 'add' | 'partsOf' | 'remove'>) {
  const jobs = db.collection<ImportDocument>('jobs');
  const ready: Filter<ImportDocument> = {
    received: false,
    'source.isReady': true,
    state: { $in: unfinished },
    ending: { $exists: false },
    // An older service would remove a waiting job without a lease.
    $or: [{ state: 'waiting' }, { $expr: isFree }],
  };

  const lastPiece = `parts.${mostPieces - 1}`;
  const hasRoom = { [lastPiece]: { $exists: false } };

  /** In one transaction: a worker that lost its lease does not touch the chunks of the next worker. */
  const changeChunks = <T>(
    { id, fence }: Leased,
    change: UpdateFilter<ImportDocument> | Document[],
    work: (session: ClientSession) => Promise<T>,
  ): Promise<T> =>
    inTransaction(db, async (session) => {
      const leased = { _id: new ObjectId(id), fence, received: false, state: { $in: unfinished } };
      const found = { ...leased, ending: { $exists: false } };
      if ((await jobs.updateOne(found, change, { session })).matchedCount === 0) throw new LeaseLost();
      return work(session);
    });

  return {
    /** Adds a piece to a file at its end. Undefined: its end is elsewhere by now, or nobody wants the file any more. */
    async append(
      { id, source }: ImportJob,
      { piece, stored }: { piece: Part; stored: number },
    ): Promise<ImportJob | undefined> {
      if (!source) return undefined;
      const isLast = source.bytes + piece.bytes === source.size;
      const found = await jobs.findOneAndUpdate(
        {
          _id: new ObjectId(id),
          state: 'waiting',
          received: false,
          'source.bytes': source.bytes,
          ...hasRoom,
        },
        {
          $push: { parts: piece },
          $inc: { 'source.bytes': piece.bytes, 'source.stored': stored, held: stored },
          $set: { leaseUntil: fileExpiry(), ...(isLast && { 'source.isReady': true as const }) },
          $currentDate: { queuedAt: true },
        },
        { returnDocument: 'after', projection: { parts: 0 } },
      );
      return found ? toRecord(found) : undefined;
    },

    /** Whether a file that is still to arrive can have no more pieces. */
    async isFull(id: string): Promise<boolean> {
      const full = { _id: new ObjectId(id), state: 'waiting' as const, received: false };
      return (await jobs.countDocuments({ ...full, [lastPiece]: { $exists: true } })) === 1;
    },

    /** The oldest import whose file a worker can cut, or download, without these owners and jobs. */
    async nextReady(
      from: 'pieces' | 'url',
      without: { owners: string[]; jobs: string[] },
    ): Promise<ImportJob | undefined> {
      const filter = {
        ...ready,
        'source.url': { $exists: from === 'url' },
        owner: { $nin: without.owners.map((id) => new ObjectId(id)) },
        _id: { $nin: without.jobs.map((id) => new ObjectId(id)) },
      };
      const found = await jobs.findOne(filter, { sort: { queuedAt: 1 }, projection: { parts: 0 } });
      return found ? toRecord(found) : undefined;
    },

    /** Gives such an import to one worker. Undefined: the import is not free. */
    async claimReady(id: string, leaseMs: number): Promise<ImportJob | undefined> {
      const found = await jobs.findOneAndUpdate(
        { ...ready, _id: new ObjectId(id) },
        [{ $set: { ...begun, ...claimed(leaseMs) } }],
        { returnDocument: 'after', projection: { parts: 0 } },
      );
      return found ? toRecord(found) : undefined;
    },

    /** Adds a chunk for the worker that has the import. Throws LeaseLost. */
    addChunk: (job: Leased, chunk: Omit<Chunk, 'id'>, arrived: Arrived): Promise<void> =>
      changeChunks(job, { $set: arrived }, (session) => chunks.add(chunk, session)),

    /** Removes the chunks of an earlier try, and returns their parts. Throws LeaseLost. */
    removeChunks: (job: Leased): Promise<string[]> =>
      changeChunks(job, [{ $set: { held: '$source.stored' } }], async (session) => {
        const parts = await chunks.partsOf(job.id, session);
        await chunks.remove(job.id, session);
        return parts;
      }),
  };
}
