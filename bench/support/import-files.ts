import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { stringify } from 'csv-stringify';
import type { Bench } from './bench.ts';
import { payloadOf } from './payload.ts';

export interface ImportFile {
  file: string;
  headers: string[];
}

function* payloads(count: number): Generator<string> {
  for (let i = 0; i < count; i++) yield payloadOf(1_024, 10, i);
}

const inBlocks = 200;

/** Writes large pieces, as a write for each line would take minutes. */
function* blocks(lines: Iterable<string>): Generator<string> {
  let block: string[] = [];
  for (const line of lines) {
    block.push(line);
    if (block.length < inBlocks) continue;
    yield `${block.join('\n')}\n`;
    block = [];
  }
  if (block.length > 0) yield `${block.join('\n')}\n`;
}

/** A file with a number of 1 KB payloads. */
export async function writeNdjson({ dir }: Bench, count: number): Promise<ImportFile> {
  const file = join(dir, 'import.ndjson');
  await pipeline(Readable.from(blocks(payloads(count))), createWriteStream(file));
  return { file, headers: ['Content-Type: application/x-ndjson'] };
}

export async function compress({ file, headers }: ImportFile): Promise<ImportFile> {
  const packed = `${file}.gz`;
  await pipeline(createReadStream(file), createGzip(), createWriteStream(packed));
  return { file: packed, headers: [...headers, 'Content-Encoding: gzip'] };
}

/** The same payloads, with a column for each property. */
export async function writeCsv({ dir }: Bench, count: number): Promise<ImportFile> {
  const file = join(dir, 'import.csv');
  await pipeline(
    Readable.from(payloads(count)).map((line) => JSON.parse(line)),
    stringify({ header: true, cast: { boolean: String } }),
    createWriteStream(file),
  );
  return { file, headers: ['Content-Type: text/csv'] };
}
