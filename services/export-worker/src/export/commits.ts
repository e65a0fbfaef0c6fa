import { createHash, type Hash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import type { Store } from '@sluice/jobs/connect.ts';
import { JobFailed } from '@sluice/jobs/kind.ts';
import type { ExportJob, Position } from '@sluice/jobs/record/export-record.ts';
import type { Part } from '@sluice/jobs/record/job.ts';
import { freeBuffer } from '@sluice/shared/free-buffer.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import type { Piece } from '../formats/format.ts';

const compress = promisify(zstdCompress);
/** Level 1 stores a tenth of the bytes, and the work is not on the main thread. */
const params = { [constants.ZSTD_c_compressionLevel]: 1 };
/** A large size keeps the number of output buffers small. */
const chunkSize = 1024 ** 2;

interface Options {
  store: Pick<Store, 'jobs' | 'parts'>;
  job: ExportJob;
  hash: FileHash;
}

/** MongoDB limits documents to 16 MB, and some data does not compress. */
const maxPartBytes = 8 * 1024 ** 2;

/** The rows of a piece, and where the next piece begins. */
interface Extent {
  rows: number;
  position: Position;
  /** Times of the first and last entry so far. */
  first: Date | undefined;
  last: Date | undefined;
}

/** Stores the parts of a file in order, while the next part is written. */
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
    /** Waits for the previous piece, then commits this one in the background. */
    async add(piece: Piece, { rows, position, first, last }: Extent): Promise<void> {
      await underWay;
      hash.update(piece.data, slices(piece.data).length);
      bytes += piece.data.length;
      firstCreatedAt ??= first;
      lastCreatedAt = last ?? lastCreatedAt;
      underWay = commit(piece, rows, position);
      // A failure is handled at the later await.
      underWay.catch(() => undefined);
    },

    /** Commits a position without a new part. */
    async move(position: Position): Promise<void> {
      await underWay;
      if (!(await jobs.exports.commitParts(job.id, job.fence, { parts: [], position, ...times() })))
        throw new LeaseLost();
    },

    /** Resolves when all pieces are committed. */
    drain: () => underWay,

    totals: () => ({ bytes, ...times() }),
  };
}

/** Usually one slice: a single entry can be as large as a document. */
function slices(data: Uint8Array): Uint8Array[] {
  const count = Math.max(1, Math.ceil(data.length / maxPartBytes));
  return Array.from({ length: count }, (_, i) => data.subarray(i * maxPartBytes, (i + 1) * maxPartBytes));
}

const decompress = promisify(zstdDecompress);

/** The running hash of a file. */
interface FileHash {
  /** Adds the next piece; `parts` is the number of its parts. */
  update(data: Uint8Array, parts: number): void;
  /** The hash of the whole file. Calls `check` for each part that must be read again. */
  digest(check: () => void): Promise<string>;
}

interface Running {
  hash: Hash;
  parts: number;
  /** The fence of the last claim that wrote the file. */
  fence: number;
}

export type FileHashes = ReturnType<typeof createFileHashes>;

/**
 * SHA-256 of files while they are written. The state of a hash cannot move to another process.
 * A process that takes over a job reads the parts again at the end, at about one gigabyte per second.
 */
export function createFileHashes({ jobs, parts }: Pick<Store, 'jobs' | 'parts'>) {
  const running = new Map<string, Running>();

  async function readAgain(job: string, check: () => void): Promise<string> {
    const hash = createHash('sha256');
    for (const { id } of await jobs.partsOf(job)) {
      check();
      const data = await parts.get(id);
      if (!data) throw new JobFailed(`part ${id} of the file is missing`, { isDefect: true });
      hash.update(await decompress(data));
    }
    return hash.digest('hex');
  }

  return {
    /** `written` is the number of committed parts. Only the last holder of the lease can continue its hash. */
    begin(job: string, fence: number, written: number): FileHash {
      const known = running.get(job);
      const isMine = known?.parts === written && known.fence === fence - 1;
      const fresh = written === 0 ? { hash: createHash('sha256'), parts: 0 } : undefined;
      const before = isMine ? known : fresh;
      const mine = before && { ...before, fence };
      if (mine) running.set(job, mine);
      else running.delete(job);
      /** Undefined if this process has claimed the job again since. */
      const current = () => (running.get(job) === mine ? mine : undefined);
      return {
        update(data, count) {
          const hashed = current();
          hashed?.hash.update(data);
          if (hashed) hashed.parts += count;
        },
        async digest(check) {
          const hashed = current();
          if (!hashed) return readAgain(job, check);
          running.delete(job);
          return hashed.hash.digest('hex');
        },
      };
    },

    drop: (job: string) => void running.delete(job),
  };
}
