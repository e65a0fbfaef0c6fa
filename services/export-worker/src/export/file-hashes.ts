import { createHash, type Hash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import type { Store } from '@sluice/shared/store/connect.ts';

const decompress = promisify(zstdDecompress);

/** The hash of a file as far as this process wrote it. */
export interface FileHash {
  /** The next piece, stored as so many parts. */
  update(data: Uint8Array, parts: number): void;
  /** Of the whole file. `check` is called now and then where it must be read again, and may throw. */
  digest(check: () => void): Promise<string>;
}

interface Running {
  hash: Hash;
  parts: number;
}

export type FileHashes = ReturnType<typeof createFileHashes>;

/**
 * SHA-256 of files while they are written. A hash cannot be handed to another process: one that took the job over reads
 * the parts again at the end, which costs about a second a gigabyte.
 */
export function createFileHashes({ jobs, parts }: Pick<Store, 'jobs' | 'parts'>) {
  const running = new Map<string, Running>();

  async function readAgain(job: string, check: () => void): Promise<string> {
    const hash = createHash('sha256');
    for (const { id } of await jobs.partsOf(job)) {
      check();
      const data = await parts.get(id);
      if (!data) throw new Error(`part ${id} of job ${job} is missing`);
      hash.update(await decompress(data));
    }
    return hash.digest('hex');
  }

  return {
    /** `written` parts are there already. */
    begin(job: string, written: number): FileHash {
      const known = running.get(job);
      const mine =
        known?.parts === written
          ? known
          : written === 0
            ? { hash: createHash('sha256'), parts: 0 }
            : undefined;
      if (mine) running.set(job, mine);
      else running.delete(job);
      return {
        update(data, count) {
          mine?.hash.update(data);
          if (mine) mine.parts += count;
        },
        async digest(check) {
          running.delete(job);
          return mine ? mine.hash.digest('hex') : readAgain(job, check);
        },
      };
    },

    drop: (job: string) => void running.delete(job),
  };
}
