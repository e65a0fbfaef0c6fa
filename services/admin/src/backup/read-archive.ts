import { isDeepStrictEqual, promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { splitDocuments } from '@sluice/bson/documents.ts';
import { parseJson } from '@sluice/json/parse-json.ts';
import type { Block } from '@sluice/store/backup/block.ts';
import { AdminError } from '../admin-error.ts';
import { createByteReader } from './byte-reader.ts';
import {
  type BlockLine,
  createSums,
  format,
  type Header,
  lastLine,
  maxBlockBytes,
  type Summary,
  version,
} from './format.ts';

const decompress = promisify(zstdDecompress);

export interface Archive {
  header: Header;
  /** Yields all documents, and returns the backup's summary. Throws AdminError if the file was changed. */
  blocks: AsyncGenerator<Block, Verified>;
}

/** `sha256`: the hash of the file without its last line. */
export type Verified = Summary & { sha256: string };

/** Reads a backup. Throws AdminError if it is not a backup, or has a later version. */
export async function openArchive(source: AsyncIterable<Buffer>): Promise<Archive> {
  const reader = createByteReader(source);
  const line = await reader.line();
  if (!line.startsWith(`{"format":"${format}",`)) throw new AdminError('this is not a backup of Sluice');
  const header = parseLine(line) as unknown as Header;
  if (header.version !== version)
    throw new AdminError(`the backup has version ${header.version}; this Sluice reads version ${version}`);
  if (Number.isNaN(Date.parse(header.startedAt))) throw changed('its first line has no time');
  return { header, blocks: readBlocks(reader) };
}

type Reader = ReturnType<typeof createByteReader>;

const changed = (how: string) => new AdminError(`the backup was changed: ${how}`);

function parseLine(line: string): Record<string, unknown> {
  try {
    return Object(parseJson(line));
  } catch {
    throw changed('a line is not JSON');
  }
}

async function* readBlocks(reader: Reader): AsyncGenerator<Block, Verified> {
  const sums = createSums();
  for (;;) {
    const line = parseLine(await reader.line());
    if ('collections' in line) {
      const summary = line as unknown as Summary;
      return { ...summary, sha256: await checkEnd(reader, summary, sums.digest()) };
    }
    const block = await readBlock(reader, line as unknown as BlockLine);
    sums.add(block.collection, block.documents.length, Buffer.concat(block.documents));
    yield block;
  }
}

async function readBlock(reader: Reader, { collection, documents, bytes }: BlockLine): Promise<Block> {
  if (typeof collection !== 'string' || !(bytes > 0 && bytes <= maxBlockBytes))
    throw changed('a block has no size');
  const packed = await reader.bytes(bytes);
  const bson = await decompress(packed, { maxOutputLength: maxBlockBytes }).catch((error: Error) => {
    throw changed(`a block cannot be decompressed (${error.message})`);
  });
  const split = splitDocuments(bson);
  if (!split) throw changed('a document has no valid length');
  if (split.length !== documents) throw changed('a block has another number of documents than it says');
  return { collection, documents: split };
}

/** Returns the SHA-256 of the file without its last line. */
async function checkEnd(
  reader: Reader,
  { collections }: Summary,
  sums: Summary['collections'],
): Promise<string> {
  const sha256 = reader.sha256();
  const last = `${await reader.line()}\n`;
  if (last !== lastLine(sha256)) throw changed('its SHA-256 does not match');
  if (!isDeepStrictEqual(collections, sums)) throw changed('its counts do not match');
  if (!(await reader.isAtEnd())) throw changed('something follows its last line');
  return sha256;
}
