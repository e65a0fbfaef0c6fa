import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import type { Block } from '@sluice/store/backup/block.ts';
import { createSums, format, type Header, lastLine, type Summary, toLine, version } from './format.ts';

const compress = promisify(zstdCompress);

async function pack(collection: string, documents: number, bson: Buffer): Promise<Buffer> {
  const packed = await compress(bson);
  return Buffer.concat([Buffer.from(toLine({ collection, documents, bytes: packed.length })), packed]);
}

/** Yields the bytes of a backup, and returns its summary. Compresses a block while the next one is read. */
export async function* writeArchive(
  blocks: AsyncGenerator<Block, Date>,
  startedAt: Date,
): AsyncGenerator<Buffer, Summary> {
  const hash = createHash('sha256');
  const hashed = (piece: Buffer) => {
    hash.update(piece);
    return piece;
  };
  const header: Header = { format, version, startedAt: startedAt.toISOString() };
  yield hashed(Buffer.from(toLine(header)));

  const sums = createSums();
  let packing: Promise<Buffer> | undefined;
  try {
    for (;;) {
      const { value, done } = await blocks.next();
      if (packing) yield hashed(await packing);
      if (done) {
        const summary: Summary = { at: value.toISOString(), collections: sums.digest() };
        yield hashed(Buffer.from(toLine(summary)));
        yield Buffer.from(lastLine(hash.digest('hex')));
        return summary;
      }
      const bson = Buffer.concat(value.documents);
      sums.add(value.collection, value.documents.length, bson);
      packing = pack(value.collection, value.documents.length, bson);
    }
  } finally {
    // A cluster's balancer runs again then.
    await blocks.return(startedAt);
  }
}
