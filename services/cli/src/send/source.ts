import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { withoutByteOrderMark } from '@sluice/json/byte-order-mark.ts';
import { foreignStart } from '@sluice/json/explain-bytes.ts';
import { isJson } from '@sluice/json/parse-json.ts';
import { isBlank } from '@sluice/json/split.ts';
import { type CsvLayout, createReadLayout } from '@sluice/tables/csv/header.ts';
import { readRecord } from '@sluice/tables/csv/record.ts';
import { objectsOf } from '@sluice/tables/sample/objects-of.ts';
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
  if (foreign) throw new CliError(`${what} is not text in UTF-8: ${foreign}`);
  const start = first.toString('utf8', 0, 1_024).trimStart();
  if (start === '') throw new CliError(`${what} is empty: there is nothing to send`);
  const format = told ?? formatByStart(start);
  if (format !== 'ndjson') {
    const begun =
      told || format === 'json' ? first : await upToLines(/^sep=/i.test(start) ? 3 : 2, first, chunks);
    if (!told && format === 'csv') say(guessCsv(what, begun.toString()));
    return { kind: 'import', format, path, name, bytes: rest(begun) };
  }
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

/** Tells the user that a text is read as CSV, by guess. Throws CliError if it is hardly CSV. */
function guessCsv(what: string, text: string): string {
  const [first = '', ...rows] = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const layout = layoutOf(first) ?? layoutOf(rows.shift() ?? '', first);
  const row = layout && rows[0] !== undefined && readRecord(rows[0], layout.delimiter);
  // A cell of the row may go over several lines.
  if (!row || layout.columns.length < 2 || (row.ok && row.cells.length !== layout.columns.length))
    throw new CliError(
      `${what} is no JSON, and no CSV with a header and rows of several columns: say --format csv or --format ndjson`,
    );
  const { delimiter } = layout;
  return `read as CSV with ${delimiter === '\t' ? 'tabs' : `the delimiter "${delimiter}"`}; --format says otherwise`;
}

/** Undefined for a line that is no header. `before` is a line such as `sep=;`. */
function layoutOf(header: string, before?: string): CsvLayout | undefined {
  const readLayout = createReadLayout({ schema: {}, formulas: 'escape' });
  try {
    if (before !== undefined && readLayout(Buffer.from(before))) return undefined;
    return readLayout(Buffer.from(header));
  } catch {
    return undefined;
  }
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
