import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import type { Part } from './record/job.ts';
import type { PartStore } from './record/parts.ts';

const decompress = promisify(zstdDecompress);

const leastChunk = 2 * Buffer.poolSize;

/** Reads a part into memory of its own, which `freeBuffer` can free. */
async function read(parts: PartStore, { id, bytes }: Part): Promise<Buffer> {
  const data = await parts.get(id);
  if (!data) throw new Error(`part ${id} is missing`);
  // With one byte to spare the part comes in one piece.
  return decompress(data, { chunkSize: Math.max(leastChunk, bytes + 1) });
}

/** The bytes of each part in order; the next part is read meanwhile. */
export async function* readParts(parts: PartStore, list: Part[]): AsyncGenerator<Buffer> {
  let ahead: Promise<Buffer> | undefined;
  for (const part of list) {
    const ready = ahead;
    ahead = read(parts, part);
    // Awaited later: until then a failure must not count as unhandled.
    ahead.catch(() => undefined);
    if (ready) yield await ready;
  }
  if (ahead) yield await ahead;
}
