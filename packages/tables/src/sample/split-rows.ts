import { jsonArraySplitter, ndjsonSplitter } from '@sluice/json/split.ts';
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
  layout?: CsvLayout | undefined;
  /** Offset behind the last of these rows. */
  end: number;
  /** Why the splitting stopped. */
  problem?: Problem;
}

const makers = { lines: ndjsonSplitter, array: jsonArraySplitter };
// A byte order mark inside the text belongs to its row.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
export const decode = (bytes: Uint8Array): string => decoder.decode(bytes);

export const withoutByteOrderMark = (bytes: Uint8Array): Uint8Array =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

function kindOf(bytes: Uint8Array): WrittenRows['kind'] {
  const start = decode(bytes.subarray(0, 1_024)).trimStart();
  if (start.startsWith('[')) return 'array';
  return start.startsWith('{') ? 'lines' : 'csv';
}

/** The first rows of a sample, split as the API splits an import. `isWhole`: nothing is cut off. */
export function splitRows(
  bytes: Uint8Array,
  isWhole: boolean,
  kind: WrittenRows['kind'] = kindOf(bytes),
  schema: Record<string, unknown> = {},
): WrittenRows {
  const found: WrittenRows = { kind, rows: [], end: 0 };
  let text = '';
  let end = 0;
  let last = 0;
  const sink: HeaderSink = {
    bytes(piece, from, to) {
      if (found.rows.length < mostRows) text += decode(piece.subarray(from, to));
      end = to;
    },
    end(row) {
      last = row;
      if (found.rows.length < mostRows) {
        found.rows.push({ row, text });
        found.end = end;
      }
      text = '';
    },
    drop() {
      text = '';
    },
    peek: () => new TextEncoder().encode(text),
  };
  const readLayout = createReadLayout({ schema, formulas: 'escape' });
  const splitter =
    kind === 'csv'
      ? csvSplitter(sink, (record) => {
          const layout = readLayout(record);
          found.layout = layout;
          return layout;
        })
      : makers[kind](sink);
  try {
    splitter.push(bytes);
    if (isWhole) splitter.end();
  } catch (error) {
    const message = (error as Error).message.replace('; nothing was stored', '');
    return { ...found, problem: { row: last + 1, message } };
  }
  return found;
}
