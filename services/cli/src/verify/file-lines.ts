import { decodeText, explainBytes, foreignStart } from '@sluice/json/explain-bytes.ts';
import { findSyntaxFault } from '@sluice/json/explain-syntax.ts';
import { memberText } from '@sluice/json/member-text.ts';
import { parseJson } from '@sluice/json/parse-json.ts';
import { jsonArraySplitter, MalformedText, ndjsonSplitter } from '@sluice/json/split.ts';
import { createReadLayout } from '@sluice/tables/csv/header.ts';
import { createRecordJson } from '@sluice/tables/csv/row.ts';
import { csvSplitter, type HeaderSink } from '@sluice/tables/csv/split.ts';
import { CliError } from '../cli-error.ts';
import type { LineSource } from '../send/source.ts';

/** `line` counts as in the report of an import. */
export interface FileLine {
  line: number;
  /** The entry as JSON, without line ends. Undefined: the line is none, for the `fault`. */
  json?: string;
  fault?: string;
  /** All of a line that has a fault. */
  bytes?: Buffer;
}

type ReadRow = (text: string) => Pick<FileLine, 'json' | 'fault'>;

/** No server takes a longer line. */
const mostBytes = 16 * 1024 ** 2;
const formulas = 'escape';

function readJson(text: string): Pick<FileLine, 'json' | 'fault'> {
  try {
    parseJson(text);
    return { json: text.replace(/[\r\n]/g, ' ') };
  } catch (error) {
    const fault = foreignStart(Buffer.from(text)) ?? findSyntaxFault(text, error).ofLine;
    return { fault: `the line is not JSON: ${fault}` };
  }
}

/** The lines of a source, found as an import finds them. A CSV needs the schema. Throws CliError. */
export async function* linesOf(
  { format, bytes }: Pick<LineSource, 'format' | 'bytes'>,
  schema: Record<string, unknown> = {},
): AsyncGenerator<FileLine> {
  const found: FileLine[] = [];
  let pieces: Uint8Array[] = [];
  let size = 0;
  let readRow: ReadRow = readJson;

  function take(): Buffer {
    const line = Buffer.concat(pieces);
    [pieces, size] = [[], 0];
    return line;
  }

  const sink: HeaderSink = {
    bytes(piece, from, to) {
      size += to - from;
      if (size > mostBytes) throw new CliError('a line has more than 16 MiB, more than Sluice takes');
      if (to > from) pieces.push(piece.subarray(from, to));
    },
    end(line) {
      const bytes = take();
      const text = decodeText(bytes);
      const read = text === undefined ? { fault: `the line is ${explainBytes(bytes)}` } : readRow(text);
      found.push('fault' in read ? { ...read, line, bytes } : { ...read, line });
    },
    drop: () => void take(),
    peek: () => Buffer.concat(pieces),
  };
  const readLayout = createReadLayout({ schema, formulas });
  const csv = () =>
    csvSplitter(sink, (record) => {
      const layout = readLayout(record);
      if (layout) readRow = createRecordJson(schema, layout, formulas);
      return layout;
    });
  const splitter = { ndjson: ndjsonSplitter, json: jsonArraySplitter, csv }[format](sink);
  try {
    for await (const chunk of bytes) {
      splitter.push(chunk);
      yield* found.splice(0);
    }
    splitter.end();
  } catch (error) {
    throw error instanceof MalformedText ? new CliError(error.fault) : error;
  }
  yield* found;
}

/** The text of the string, number or boolean at a path of keys; undefined if there is none. */
export function valueAt(json: string, path: string[]): string | undefined {
  let text: string | undefined = json.trim();
  for (const key of path) {
    text = text.startsWith('{') ? memberText(text, key) : undefined;
    if (text === undefined) return undefined;
  }
  return /^["\-\dtf]/.test(text) ? text : undefined;
}
