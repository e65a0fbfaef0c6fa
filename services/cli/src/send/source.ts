import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { withoutByteOrderMark } from '@sluice/json/byte-order-mark.ts';
import { foreignStart } from '@sluice/json/explain-bytes.ts';
import { isJson } from '@sluice/json/parse-json.ts';
import { isBlank } from '@sluice/json/split.ts';
import { readRecord } from '@sluice/tables/csv/record.ts';
import { objectsOf } from '@sluice/tables/sample/objects-of.ts';
import { splitRows } from '@sluice/tables/sample/split-rows.ts';
import { CliError } from '../cli-error.ts';
import type { Terminal } from '../terminal.ts';

export type SourceFormat = 'ndjson' | 'json' | 'csv';

/** What is sent. `lines`: by batches. `import`: as one file, in which only the server finds the lines. */
export interface LineSource {
  kind: 'lines' | 'import';
  format: SourceFormat;
  isCompressed?: boolean;
  /** The name of a file; undefined for the standard input. */
  path: string | undefined;
  name: string;
  bytes: AsyncIterable<Buffer>;
}

const chunkBytes = 1024 ** 2;
/** Objects over several lines are read whole, so they must be few. */
const mostObjectBytes = 4 * 1024 ** 2;

const endings: Record<string, SourceFormat> = { ndjson: 'ndjson', jsonl: 'ndjson', csv: 'csv', tsv: 'csv' };
const isCompressed = (bytes: Buffer) =>
  (bytes[0] === 0x1f && bytes[1] === 0x8b) || bytes.readUInt32BE(0) === 0x28b52ffd;

const formatByName = (name: string): SourceFormat | undefined =>
  endings[/\.(\w+)(\.(gz|zst))?$/.exec(name.toLowerCase())?.[1] ?? ''];

function formatByStart(start: string): SourceFormat {
  if (start.startsWith('[')) return 'json';
  return start.startsWith('{') ? 'ndjson' : 'csv';
}

/** Opens a file, or the standard input for `-`, and finds out what it is. */
export async function openSource(
  terminal: Terminal,
  given: string,
  format?: SourceFormat,
): Promise<LineSource> {
  const path = given === '-' ? undefined : given;
  if (path && (await stat(path)).isDirectory()) throw new CliError(`${path}: is a folder: name a file`);
  const open = (start: number): AsyncIterable<Buffer> =>
    path ? createReadStream(path, { start, highWaterMark: chunkBytes }) : terminal.stdin;
  return identify({ name: path ? basename(path) : '-', path, bytes: open(0), format }, terminal);
}

interface Unknown extends Pick<LineSource, 'name' | 'path' | 'bytes'> {
  format: SourceFormat | undefined;
}

async function identify(
  { name, path, bytes, format: chosen }: Unknown,
  { say }: Terminal,
): Promise<LineSource> {
  const what = path ?? 'the standard input';
  const told = chosen ?? formatByName(name);
  const chunks = bytes[Symbol.asyncIterator]();
  // A byte order mark belongs to no line.
  const first = Buffer.from(withoutByteOrderMark(await firstOf(chunks)));
  const rest = (from: Buffer): AsyncIterable<Buffer> => joined(from, chunks);
  if (first.length >= 4 && isCompressed(first)) {
    if (!told) throw new CliError(`${what} is compressed: say --format ndjson, json or csv`);
    return { kind: 'import', format: told, isCompressed: true, path, name, bytes: rest(first) };
  }
  const foreign = foreignStart(first);
  if (foreign)
    throw new CliError(`${what} is not text in UTF-8: ${foreign}; it begins with the bytes ${hexOf(first)}`);
  const start = first.toString('utf8', 0, 1_024).trimStart();
  if (start === '') throw new CliError(`${what} is empty: there is nothing to send`);
  const format = told ?? (path === undefined ? 'ndjson' : formatByStart(start));
  if (format !== 'ndjson') {
    const begun = told || format === 'json' ? first : await upToLines(4, first, chunks);
    if (!told && format === 'csv') say(guessCsv(what, begun));
    return { kind: 'import', format, path, name, bytes: rest(begun) };
  }
  if (/^sep=/i.test(start))
    throw new CliError(`${what} is CSV, as line 1 is "${start.slice(0, 5)}": say --format csv`);
  if (!chosen && start.startsWith('['))
    throw new CliError(`${what} begins with [, so it is no NDJSON: say --format json if it is a JSON array`);
  const begun = await upToLines(1, first, chunks);
  const { buffer, isOverLines } = await joinObjects(begun, chunks);
  return { kind: 'lines', format, path, name, bytes: isOverLines ? only(buffer) : rest(buffer) };
}

/** The first bytes that are more than white space, of which it reads 4 MiB. */
async function firstOf(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  let first: Buffer = Buffer.alloc(0);
  while (first.length < 4 || (first.length < mostObjectBytes && first.every(isBlank))) {
    const { value, done } = await chunks.next();
    if (done) break;
    first = Buffer.concat([first, value]);
  }
  return first;
}

const hexOf = (bytes: Buffer) => bytes.toString('hex', 0, 4).replace(/..(?!$)/g, '$& ');

/** Tells the user that a text is read as CSV, by guess. Throws CliError unless a header and two rows agree. */
function guessCsv(what: string, begun: Buffer): string {
  const { layout, rows } = splitRows(begun, true, 'csv');
  const columns = layout?.columns.length ?? 0;
  const fits = rows.slice(0, 2).filter(({ text }) => {
    const record = layout && readRecord(text, layout.delimiter);
    return record?.ok && record.cells.length === columns;
  });
  if (!layout || columns < 2 || fits.length < 2)
    throw new CliError(
      `${what} is not JSON, and not CSV with a header and two rows of as many cells: say --format csv, json or ndjson`,
    );
  const { delimiter } = layout;
  return `${what} is read as CSV with ${delimiter === '\t' ? 'tabs' : `the delimiter "${delimiter}"`}; --format says otherwise`;
}

async function upToLines(count: number, first: Buffer, chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  let begun = first;
  const hasLines = () => begun.toString('latin1').split('\n').length > count;
  while (begun.length < mostObjectBytes && !hasLines()) {
    const { value, done } = await chunks.next();
    if (done) break;
    begun = Buffer.concat([begun, value]);
  }
  return begun;
}

/** Objects that are written over several lines become lines. */
async function joinObjects(begun: Buffer, chunks: AsyncIterator<Buffer>) {
  const unchanged = { buffer: begun, isOverLines: false };
  const [line = ''] = begun.toString().trimStart().split('\n', 1);
  if (!line.startsWith('{') || isJson(line)) return unchanged;
  let buffer = begun;
  while (buffer.length <= mostObjectBytes) {
    const { value, done } = await chunks.next();
    if (done) {
      const objects = objectsOf(buffer.toString());
      if (objects.length === 0) return { buffer, isOverLines: false };
      // Line ends inside of JSON are white space.
      const lines = objects.map((text) => `${text.replace(/[\r\n]/g, ' ')}\n`);
      return { buffer: Buffer.from(lines.join('')), isOverLines: true };
    }
    buffer = Buffer.concat([buffer, value]);
  }
  return { buffer, isOverLines: false };
}

async function* only(buffer: Buffer): AsyncGenerator<Buffer> {
  yield buffer;
}

async function* joined(first: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  for (;;) {
    const { value, done } = await chunks.next();
    if (done) return;
    yield value;
  }
}

/** The bytes of a source behind those that were sent before. */
export async function* behind(bytes: AsyncIterable<Buffer>, offset: number): AsyncGenerator<Buffer> {
  let left = offset;
  for await (const chunk of bytes) {
    const part = chunk.subarray(Math.min(left, chunk.length));
    left -= chunk.length - part.length;
    if (part.length > 0) yield part;
  }
}
