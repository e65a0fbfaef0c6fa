import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import type { Cell } from './cells.ts';
import { csvStringifier } from './csv.ts';

export interface WrittenPart {
  data: Buffer;
  /** Of the text, before compression. */
  bytes: number;
}

/** Writes rows as CSV, compressed with zstd. `onBytes` hears how much text there is so far. */
export async function writePart(
  rows: AsyncIterable<Cell[]>,
  onBytes: (bytes: number) => void,
): Promise<WrittenPart> {
  let bytes = 0;
  const compress = createZstdCompress();
  async function* count(source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      bytes += chunk.length;
      onBytes(bytes);
      yield chunk;
    }
  }
  const [data] = await Promise.all([
    buffer(compress),
    pipeline(Readable.from(rows), csvStringifier(), count, compress),
  ]);
  return { data, bytes };
}
