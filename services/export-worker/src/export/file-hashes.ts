import { createHash, type Hash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import type { Store } from '@sluice/jobs/connect.ts';
import { Defect } from '../formats/format.ts';

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
  /** Of the claim under which it was written last. */
  fence: number;
}

export type FileHashes = ReturnType<typeof createFileHashes>;

/**
 * SHA-256 of files while they are written. A worker that took over a job cannot continue the hash.
 * At the end it reads the parts again, which takes about a second per gigabyte.
 */
export function createFileHashes({ jobs, parts }: Pick<Store, 'jobs' | 'parts'>) {
  const running = new Map<string, Running>();

  async function readAgain(job: string, check: () => void): Promise<string> {
    const hash = createHash('sha256');
    for (const { id } of await jobs.partsOf(job)) {
      check();
      const data = await parts.get(id);
      if (!data) throw new Defect(`part ${id} of the file is missing`);
      hash.update(await decompress(data));
    }
    return hash.digest('hex');
  }

  return {
    /** `written` parts are there already. As many of another worker need not have the same bytes. */
    begin(job: string, fence: number, written: number): FileHash {
      const known = running.get(job);
      const isMine = known?.parts === written && known.fence === fence - 1;
      const fresh = written === 0 ? { hash: createHash('sha256'), parts: 0 } : undefined;
      const before = isMine ? known : fresh;
      const mine = before && { ...before, fence };
      if (mine) running.set(job, mine);
      else running.delete(job);
      /** Undefined once this process has begun anew with the job. */
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
