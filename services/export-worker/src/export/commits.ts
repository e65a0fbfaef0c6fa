import { createHash, type Hash } from 'node:crypto';
import type { Store } from '@sluice/jobs/connect.ts';
import type { ExportJob, Position } from '@sluice/jobs/record/export-record.ts';
import type { Manifest, Part } from '@sluice/jobs/record/job.ts';
import { sha256Of } from '@sluice/objects/pieces.ts';
import { freeBuffer } from '@sluice/shared/free-buffer.ts';
import { LeaseLost } from '@sluice/store/under-lease.ts';
import type { FilePiece } from '../formats/format.ts';
import { pack, unpackPart } from './packed-parts.ts';

interface Options {
  store: Pick<Store, 'jobs' | 'parts'>;
  job: ExportJob;
  hash: FileHash;
}

/** Takes the pieces of a file in order, while the next is written. */
export interface FileSink {
  /** Rejects with what became of an earlier piece. */
  add(piece: FilePiece, extent: Extent): Promise<void>;
  /** Notes a position without a new piece. */
  move(position: Position): void;
  /** Resolves when nothing is under way any more. */
  drain(): Promise<void>;
  /** Lets another worker go on after the last piece. */
  save(): Promise<void>;
  /** After the last piece. Calls `check` again and again. */
  end(check: () => void): Promise<Pick<Manifest, 'bytes' | 'sha256' | 'firstCreatedAt' | 'lastCreatedAt'>>;
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

/** So many pieces are stored beside each other while the next is written: each waits twice for the disks of MongoDB. */
const piecesAhead = 2;

/** Stores the pieces of a file while the next is written, and commits them in order. */
export function createCommits({ store: { jobs, parts }, job, hash }: Options): FileSink {
  let { bytes, firstCreatedAt, lastCreatedAt } = job;
  /** Oldest first. */
  const underWay: Promise<void>[] = [];
  const times = () => ({ firstCreatedAt, lastCreatedAt });

  async function store({ data, note }: FilePiece, rows: number): Promise<Part[]> {
    const stored: Part[] = [];
    for (const slice of slices(data)) {
      const isFirst = stored.length === 0;
      const packed = await pack(slice);
      const id = await parts.put(job.id, packed, isFirst ? note : undefined);
      freeBuffer(packed);
      stored.push({ id, rows: isFirst ? rows : 0, bytes: slice.length });
    }
    freeBuffer(data);
    return stored;
  }

  /** Commits parts after those before them. */
  function commit(stored: Promise<Part[]>, position: Position): void {
    const before = underWay.at(-1);
    const until = times();
    const committed = (async () => {
      const parts = await stored;
      await before;
      if (!(await jobs.exports.commitParts(job.id, job.fence, { parts, position, ...until })))
        throw new LeaseLost();
    })();
    // A failure is handled at the later await.
    committed.catch(() => undefined);
    underWay.push(committed);
  }

  /** Resolves when all pieces are committed. */
  async function drain(): Promise<void> {
    await Promise.allSettled(underWay);
    await Promise.all(underWay);
  }

  async function* readAgain(check: () => void): AsyncGenerator<Buffer> {
    for (const { id } of await jobs.partsOf(job.id)) {
      check();
      yield unpackPart({ parts }, id);
    }
  }

  return {
    /** Stores and commits a piece in the background, once there are few others. */
    async add(piece, { rows, position, first, last }) {
      while (underWay.length >= piecesAhead) await underWay.shift();
      hash.update(piece.data);
      bytes += piece.data.length;
      firstCreatedAt ??= first;
      lastCreatedAt = last ?? lastCreatedAt;
      commit(store(piece, rows), position);
    },

    move: (position) => commit(Promise.resolve([]), position),
    drain,
    save: drain,

    async end(check) {
      return { bytes, ...times(), sha256: await hash.digest(() => readAgain(check)) };
    },
  };
}

/** Usually one slice: a single entry can be as large as a document. */
function slices(data: Uint8Array): Uint8Array[] {
  const count = Math.max(1, Math.ceil(data.length / maxPartBytes));
  return Array.from({ length: count }, (_, i) => data.subarray(i * maxPartBytes, (i + 1) * maxPartBytes));
}

/** The running hash of a file. */
export interface FileHash {
  update(data: Uint8Array): void;
  /** The hash of the whole file, which may have to be read again. */
  digest(readAgain: () => AsyncIterable<Uint8Array>): Promise<string>;
}

interface Running {
  hash: Hash;
  bytes: number;
  /** The fence of the last claim that wrote the file. */
  fence: number;
}

export type FileHashes = ReturnType<typeof createFileHashes>;

/**
 * SHA-256 of files while they are written. The state of a hash cannot move to another process.
 * A process that takes over a job reads the parts again at the end, at about one gigabyte per second.
 */
export function createFileHashes() {
  const running = new Map<string, Running>();

  return {
    /** `written`: the bytes that count. Only the last holder of the lease can continue its hash. */
    begin(job: string, fence: number, written: number): FileHash {
      const known = running.get(job);
      const isMine = known?.bytes === written && known.fence === fence - 1;
      const fresh = written === 0 ? { hash: createHash('sha256'), bytes: 0 } : undefined;
      const before = isMine ? known : fresh;
      const mine = before && { ...before, fence };
      if (mine) running.set(job, mine);
      else running.delete(job);
      /** Undefined if this process has claimed the job again since. */
      const current = () => (running.get(job) === mine ? mine : undefined);
      return {
        update(data) {
          const hashed = current();
          hashed?.hash.update(data);
          if (hashed) hashed.bytes += data.length;
        },
        async digest(readAgain) {
          const hashed = current();
          if (!hashed) return sha256Of(readAgain());
          running.delete(job);
          return hashed.hash.digest('hex');
        },
      };
    },

    drop: (job: string) => void running.delete(job),
  };
}
