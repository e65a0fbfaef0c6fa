import { setImmediate as breathe } from 'node:timers/promises';
import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import type { Chunk } from '@sluice/jobs/record/chunk-records.ts';
import type { ImportJob } from '@sluice/jobs/record/job-records.ts';
import type { PartStore } from '@sluice/jobs/record/parts.ts';
import { jsonArraySplitter, ndjsonSplitter } from '@sluice/json/split.ts';
import { ApiError, bodyTooLarge } from '@sluice/shared/errors.ts';
import { createSideBySide } from '@sluice/shared/side-by-side.ts';
import type { CsvLayout } from '@sluice/tables/csv/header.ts';
import { csvSplitter, type ReadLayout } from '@sluice/tables/csv/split.ts';
import { type CutChunk, createChunker } from './chunker.ts';
import { type Compression, decode } from './decode.ts';

interface Receiving {
  job: ImportJob;
  encoding: Compression | undefined;
  /** Finds the columns of a CSV file. Throws ApiError. */
  readLayout: ReadLayout<CsvLayout>;
  /** Adds a chunk whose part is stored. `storedBytes`: with those before. */
  add(chunk: Omit<Chunk, 'id'>, storedBytes: number): Promise<void>;
  /** Called for each piece, with the bytes stored so far. Throws to end the import. */
  onProgress(storedBytes: number): void;
}

interface Received {
  total: number;
  held: number;
  layout?: CsvLayout | undefined;
}

/** A decompressed body may be this many times as large as the limit. */
const mostGrowth = 10;
const sliceMs = 5;
const newline = 0x0a;

const compress = promisify(zstdCompress);
/** Chunks are read once and soon, so speed matters more than size. */
const quick = { chunkSize: 256 * 1024, params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** Chunks that are compressed and stored at once. */
const chunksAtOnce = 2;

/** Cuts the file of an import into chunks, with little memory. The file has at most `limit` bytes. Throws ApiError. */
export async function receive(
  parts: Pick<PartStore, 'put'>,
  body: AsyncGenerator<Buffer, void>,
  limit: number,
  { job, encoding, readLayout, add, onProgress }: Receiving,
): Promise<Received> {
  const chunker = createChunker(job.options.lineLimit);
  const storing = createSideBySide(chunksAtOnce);
  let seq = 0;
  /** Compressed bytes. */
  let storedBytes = 0;
  let layout: CsvLayout | undefined;
  const splitter = {
    ndjson: () => ndjsonSplitter(chunker.sink),
    json: () => jsonArraySplitter(chunker.sink),
    csv: () =>
      csvSplitter(chunker.sink, (record) => {
        const found = readLayout(record);
        layout = found;
        return found;
      }),
  }[job.options.format]();
  let bytes = 0;
  let lastByte: number | undefined;
  let began = performance.now();

  async function store({ data, lines, free }: CutChunk, place: number): Promise<void> {
    const compressed = await compress(data, quick).finally(free);
    const part = await parts.put(job.id, compressed);
    const { id, application } = job;
    storedBytes += compressed.length;
    await add({ job: id, application, seq: place, lines, part, bytes: compressed.length }, storedBytes);
  }

  async function storeReady(): Promise<void> {
    for (const chunk of chunker.take()) {
      const place = seq++;
      await storing.add(() => store(chunk, place));
    }
  }

  try {
    for await (const piece of decode(body, encoding)) {
      bytes += piece.length;
      lastByte = piece.at(-1) ?? lastByte;
      if (bytes > mostGrowth * limit) throw bodyTooLarge(mostGrowth * limit);
      onProgress(storedBytes);
      splitter.push(piece);
      await storeReady();
      if (performance.now() - began > sliceMs) {
        await breathe();
        began = performance.now();
      }
    }
    if (bytes === 0) throw new ApiError('MalformedBodyError', 'the body is empty');
    splitter.end();
    chunker.finish();
    if (job.options.format === 'csv' && chunker.total() === 0) {
      if (!layout) throw malformed('the CSV has no rows');
      // A CSV export without rows ends its header with a newline.
      if (lastByte !== newline) throw malformed(noRows);
    }
    await storeReady();
    await storing.finish();
    return { total: chunker.total(), held: storedBytes, layout };
  } catch (error) {
    // Chunks on their way must not be stored after the others are removed.
    await storing.finish().catch(() => undefined);
    throw error;
  } finally {
    // Not awaited: it may wait for the next piece.
    void body.return();
  }
}

const noRows = 'the CSV has a header but no rows; with curl use --data-binary, as -d removes line ends';
const malformed = (message: string) => new ApiError('MalformedBodyError', `${message}; nothing was stored`);
