import { decodeText, explainBytes, foreignStart } from '@sluice/json/explain-bytes.ts';
import { jsonArraySplitter, MalformedText, ndjsonSplitter } from '@sluice/json/split.ts';
import { type CsvLayout, createReadLayout } from '../csv/header.ts';
import { csvSplitter, type HeaderSink } from '../csv/split.ts';

/** Rows beyond are not read. */
export const mostRows = 1_000;

export interface WrittenRow {
  /** Counted like the lines in the report of an import. */
  row: number;
  text: string;
}

/** Why a row has no value. */
export interface Problem {
  row: number;
  message: string;
}

export interface WrittenRows {
  kind: 'lines' | 'array' | 'csv';
  rows: WrittenRow[];
  /** Of rows that are no text. */
  problems: Problem[];
  layout?: CsvLayout | undefined;
  /** Offset behind the last of these rows. */
  end: number;
}

const makers = { lines: ndjsonSplitter, array: jsonArraySplitter };
const lossy = new TextDecoder();

function kindOf(bytes: Uint8Array): WrittenRows['kind'] {
  const start = lossy.decode(bytes.subarray(0, 1_024)).trimStart();
  if (start.startsWith('[')) return 'array';
  return start.startsWith('{') ? 'lines' : 'csv';
}

/** The first rows of a sample, split as the API splits an import. `isWhole`: nothing is cut off. */
export function splitRows(
  bytes: Uint8Array,
  isWhole: boolean,
  kind: WrittenRows['kind'] = kindOf(bytes),
  { schema = {}, names }: { schema?: Record<string, unknown>; names?: string | undefined } = {},
): WrittenRows {
  const found: WrittenRows = { kind, rows: [], problems: [], end: 0 };
  let row = bytes.subarray(0, 0);
  let end = 0;
  let last = 0;
  const isFull = () => found.rows.length + found.problems.length >= mostRows;
  const sink: HeaderSink = {
    // All bytes are one piece, so a row is too.
    bytes(piece, from, to) {
      row = piece.subarray(from, to);
      end = to;
    },
    end(number) {
      last = number;
      if (isFull()) return;
      const text = decodeText(row);
      if (text !== undefined) found.rows.push({ row: number, text });
      else found.problems.push({ row: number, message: `The row is ${explainBytes(row)}.` });
      found.end = end;
    },
    drop() {
      row = bytes.subarray(0, 0);
    },
    peek: () => row,
  };
  const readLayout = createReadLayout({ schema, formulas: 'escape', names });
  const splitter =
    kind === 'csv'
      ? csvSplitter(sink, (record) => {
          const layout = readLayout(record);
          found.layout = layout;
          return layout;
        })
      : makers[kind](sink);
  const foreign = foreignStart(bytes);
  if (foreign) found.problems.push({ row: 1, message: `The file is not text in UTF-8: ${foreign}.` });
  if (foreign) return found;
  try {
    splitter.push(bytes);
    if (isWhole) splitter.end();
  } catch (error) {
    const message = error instanceof MalformedText ? error.fault : (error as Error).message;
    found.problems.push({ row: last + 1, message });
  }
  return found;
}
