import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import type { Part } from '@sluice/jobs/record/job.ts';
import type { JobStore } from '@sluice/jobs/record/jobs.ts';
import type { PartStore } from '@sluice/jobs/record/parts.ts';
import { freeBuffer } from '@sluice/shared/free-buffer.ts';
import { inAnHour } from './steps.ts';

const decompress = promisify(zstdDecompress);

const leastChunk = 2 * Buffer.poolSize;
const keepEveryMs = 60_000;

/** Reads a part into memory of its own, which `freeing` can free. */
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

/** Passes on the file of a job, which does not expire while it is read, however slowly. */
export async function* keeping(jobs: JobStore, id: string, source: AsyncIterable<Buffer>) {
  let keptAt = Number.NEGATIVE_INFINITY;
  for await (const bytes of source) {
    if (performance.now() - keptAt > keepEveryMs) {
      keptAt = performance.now();
      await jobs.keep(id, inAnHour());
    }
    yield bytes;
  }
}

interface Sink {
  /** Bytes that it was given and has not passed on. */
  readonly writableLength: number;
}

/**
 * Passes buffers on, and frees their memory once `sink` has passed them on. Its reader must hold at most one buffer:
 * when the next is requested, only the latest may not have reached the sink.
 */
export async function* freeing(source: AsyncIterable<Buffer>, sink: Sink): AsyncGenerator<Buffer> {
  const given: Buffer[] = [];
  let bytesGiven = 0;
  let last: Buffer | undefined;
  for await (const bytes of source) {
    yield bytes;
    if (last) {
      given.push(last);
      bytesGiven += last.length;
    }
    last = bytes;
    for (
      let [oldest] = given;
      oldest && bytesGiven - oldest.length >= sink.writableLength;
      [oldest] = given
    ) {
      bytesGiven -= oldest.length;
      given.shift();
      freeBuffer(oldest);
    }
  }
}
