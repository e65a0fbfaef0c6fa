import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import type { Store } from '@sluice/jobs/connect.ts';
import type { ExportJob, Position } from '@sluice/jobs/record/export-record.ts';
import type { Part } from '@sluice/jobs/record/job.ts';
import { freeBuffer } from '@sluice/shared/free-buffer.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import type { Piece } from '../formats/format.ts';
import type { FileHash } from './file-hashes.ts';

const compress = promisify(zstdCompress);
/** Parts cost MongoDB a tenth, for little work beside the main thread. */
const params = { [constants.ZSTD_c_compressionLevel]: 1 };
/** The result comes in pieces of this size: few of them. */
const chunkSize = 1024 ** 2;

interface Options {
  store: Pick<Store, 'jobs' | 'parts'>;
  job: ExportJob;
  hash: FileHash;
}

/** A document of MongoDB holds 16 MB, and what does not compress stays as long as it is. */
const maxPartBytes = 8 * 1024 ** 2;

/** What a piece has, and where the next one begins. */
interface Extent {
  rows: number;
  position: Position;
  /** Times of the first and of the last entry that there were so far. */
  first: Date | undefined;
  last: Date | undefined;
}

/** Stores the parts of a file, one behind the other, while the next one is written. */
export function createCommits({ store: { jobs, parts }, job, hash }: Options) {
  let { bytes, firstCreatedAt, lastCreatedAt } = job;
  let underWay: Promise<void> = Promise.resolve();
  const times = () => ({ firstCreatedAt, lastCreatedAt });

  async function commit({ data, note }: Piece, rows: number, position: Position): Promise<void> {
    const stored: Part[] = [];
    for (const slice of slices(data)) {
      const isFirst = stored.length === 0;
      const packed = await compress(slice, { params, chunkSize });
      const id = await parts.put(job.id, packed, isFirst ? note : undefined);
      freeBuffer(packed);
      stored.push({ id, rows: isFirst ? rows : 0, bytes: slice.length });
    }
    freeBuffer(data);
    if (!(await jobs.exports.commitParts(job.id, job.fence, { parts: stored, position, ...times() })))
      throw new LeaseLost();
  }

  return {
    /** Takes a piece as soon as the one before it is committed; rejects when that failed. */
    async add(piece: Piece, { rows, position, first, last }: Extent): Promise<void> {
      await underWay;
      hash.update(piece.data, slices(piece.data).length);
      bytes += piece.data.length;
      firstCreatedAt ??= first;
      lastCreatedAt = last ?? lastCreatedAt;
      underWay = commit(piece, rows, position);
      // Its failure is met when it is awaited; until then it is not unhandled.
      underWay.catch(() => undefined);
    },

    /** Commits that what is up to a place has nothing more for the file. */
    async move(position: Position): Promise<void> {
      await underWay;
      if (!(await jobs.exports.commitParts(job.id, job.fence, { parts: [], position, ...times() })))
        throw new LeaseLost();
    },

    /** Resolves when all that was added is committed. */
    drain: () => underWay,

    totals: () => ({ bytes, ...times() }),
  };
}

/** Mostly one: a single entry can be as large as a document. */
function slices(data: Uint8Array): Uint8Array[] {
  const count = Math.max(1, Math.ceil(data.length / maxPartBytes));
  return Array.from({ length: count }, (_, i) => data.subarray(i * maxPartBytes, (i + 1) * maxPartBytes));
}
