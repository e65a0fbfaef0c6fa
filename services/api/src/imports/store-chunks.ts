import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import type { Store } from '@sluice/shared/store/connect.ts';
import type { ImportJob } from '@sluice/shared/store/job-records.ts';
import type { CutChunk } from './chunker.ts';

const compress = promisify(zstdCompress);
/** Read once and soon: speed counts for more than size. */
const quick = { chunkSize: 256 * 1024, params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const atOnce = 2;

/** Compresses the chunks of an import and stores them, a few at a time. */
export function createStoreChunks({ parts, chunks }: Pick<Store, 'parts' | 'chunks'>, job: ImportJob) {
  const underWay = new Set<Promise<void>>();
  let seq = 0;
  let held = 0;
  let failure: { error: unknown } | undefined;

  async function store({ data, lines, release }: CutChunk, place: number): Promise<void> {
    const compressed = await compress(data, quick).finally(release);
    const part = await parts.put(job.id, compressed);
    const { id, application, owner } = job;
    await chunks.add({ job: id, application, owner, seq: place, lines, part, bytes: compressed.length });
    held += compressed.length;
  }

  return {
    /** Compressed. */
    held: () => held,

    /** Resolves when there is room for the next one. Rejects when one before it could not be stored. */
    async add(chunk: CutChunk): Promise<void> {
      const storing: Promise<void> = store(chunk, seq++)
        .catch((error) => {
          failure ??= { error };
        })
        .finally(() => underWay.delete(storing));
      underWay.add(storing);
      if (underWay.size >= atOnce) await Promise.race(underWay);
      if (failure) throw failure.error;
    },

    /** Resolves when all is stored, or failed. */
    async finish(): Promise<void> {
      await Promise.all(underWay);
      if (failure) throw failure.error;
    },
  };
}
