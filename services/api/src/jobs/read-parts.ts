import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import type { Part } from '@sluice/jobs/record/job.ts';
import type { PartStore } from '@sluice/jobs/record/parts.ts';

const decompress = promisify(zstdDecompress);

const leastChunk = 2 * Buffer.poolSize;

/** In memory that is shared with nothing else. */
async function read(parts: PartStore, { id, bytes }: Part): Promise<Buffer> {
  const data = await parts.get(id);
  if (!data) throw new Error(`part ${id} is missing`);
  // A byte more than there is to come, so that it comes in one piece.
  return decompress(data, { chunkSize: Math.max(leastChunk, bytes + 1) });
}

/** The bytes of parts in their order, one ahead of the reader. */
export async function* readParts(parts: PartStore, list: Part[]): AsyncGenerator<Buffer> {
  let ahead: Promise<Buffer> | undefined;
  for (const part of list) {
    const ready = ahead;
    ahead = read(parts, part);
    // Its failure is met when it is awaited; until then it is not unhandled.
    ahead.catch(() => undefined);
    if (ready) yield await ready;
  }
  if (ahead) yield await ahead;
}

/** The bytes of a file from `start` to `end`, both included. */
export async function* readRange(
  parts: PartStore,
  list: Part[],
  { start, end }: { start: number; end: number },
): AsyncGenerator<Buffer> {
  let offset = 0;
  const touched: Part[] = [];
  let skip = 0;
  for (const part of list) {
    const next = offset + part.bytes;
    if (next > start && offset <= end) {
      if (touched.length === 0) skip = start - offset;
      touched.push(part);
    }
    offset = next;
  }
  let left = end - start + 1;
  for await (const bytes of readParts(parts, touched)) {
    const wanted = bytes.subarray(skip, skip + left);
    skip = 0;
    left -= wanted.length;
    yield wanted;
  }
}
