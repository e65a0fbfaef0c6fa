import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import { createSideBySide } from '@sluice/shared/side-by-side.ts';
import type { Store } from '@sluice/store/connect.ts';
import type { ImportJob } from '@sluice/store/jobs/job-records.ts';
import type { CutChunk } from './chunker.ts';

const compress = promisify(zstdCompress);
/** Read once and soon: speed counts for more than size. */
const quick = { chunkSize: 256 * 1024, params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const atOnce = 2;

/** Compresses the chunks of an import and stores them, a few at a time. */
export function createStoreChunks({ parts, chunks }: Pick<Store, 'parts' | 'chunks'>, job: ImportJob) {
  const storing = createSideBySide(atOnce);
  let seq = 0;
  let held = 0;

  async function store({ data, lines, release }: CutChunk, place: number): Promise<void> {
    const compressed = await compress(data, quick).finally(release);
    const part = await parts.put(job.id, compressed);
    const { id, application } = job;
    await chunks.add({ job: id, application, seq: place, lines, part, bytes: compressed.length });
    held += compressed.length;
  }

  return {
    /** Compressed. */
    held: () => held,

    /** Resolves when there is room for the next one. Rejects when one before it could not be stored. */
    add(chunk: CutChunk): Promise<void> {
      const place = seq++;
      return storing.add(() => store(chunk, place));
    },

    /** Resolves when all is stored, rejects when something is not. */
    finish: storing.finish,
  };
}
