import { readParts } from '@sluice/jobs/read-parts.ts';
import type { Part } from '@sluice/jobs/record/job.ts';
import type { JobStore } from '@sluice/jobs/record/jobs.ts';
import type { PartStore } from '@sluice/jobs/record/parts.ts';
import { freeBuffer } from '@sluice/shared/free-buffer.ts';
import { inAnHour } from './steps.ts';

const keepEveryMs = 60_000;

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
