import type { LineSink, Splitter } from '@sluice/json/split.ts';
import { type Delimiter, delimiters } from './record.ts';

const quote = 0x22;
const newline = 0x0a;
const carriageReturn = 0x0d;

export interface HeaderSink extends LineSink {
  /** The current line; undefined if it is over the limit. */
  peek(): Uint8Array | undefined;
}

/** `cell`: a cell begins. `plain`: in an unquoted cell. `quoted`: between quotes. `closed`: after a quote. */
type State = 'cell' | 'plain' | 'quoted' | 'closed';

/** What the first record tells; undefined: ask the next one. A record over the limit is undefined, and then stays a row. */
export type ReadLayout<Layout extends { delimiter: Delimiter }> = (
  record: Uint8Array | undefined,
) => (Layout & { hasHeader: boolean }) | undefined;

/**
 * Splits CSV into records. Empty records are skipped but counted.
 *
 * Only a quote at the start of a cell counts, so a broken record seldom harms the next.
 */
export function csvSplitter<Layout extends { delimiter: Delimiter }>(
  sink: HeaderSink,
  readLayout: ReadLayout<Layout>,
): Splitter {
  let isBegun = false;
  /** Before the layout is known, any delimiter ends a cell. */
  let endsCell = cellEnds(delimiters);
  let state: State = 'cell';
  let record = 1;
  let isFilled = false;

  /** Whether the record is no row. */
  function begin(): boolean {
    const first = sink.peek();
    const layout = readLayout(first);
    if (!layout) return first !== undefined;
    isBegun = true;
    endsCell = cellEnds([layout.delimiter]);
    return layout.hasHeader;
  }

  function finish(): void {
    const isRow = isBegun || !begin();
    if (isRow && isFilled) sink.end(record);
    else sink.drop();
    record += 1;
    isFilled = false;
    state = 'cell';
  }

  /** The place of the next quote, else the end of the piece. */
  function skipQuoted(piece: Uint8Array, from: number): number {
    for (let at = from; at < piece.length; at++) if (piece[at] === quote) return at;
    return piece.length;
  }

  /** The place of the next byte that ends an unquoted cell, else the end of the piece. */
  function skipPlain(piece: Uint8Array, from: number): number {
    for (let at = from; at < piece.length; at++) if (endsCell[piece[at] as number]) return at;
    return piece.length;
  }

  return {
    push(piece) {
      let from = 0;
      for (let at = 0; at < piece.length; at++) {
        if (state === 'quoted') {
          at = skipQuoted(piece, at);
          if (at < piece.length) state = 'closed';
          continue;
        }
        if (state === 'plain' && isFilled) at = skipPlain(piece, at);
        if (at === piece.length) break;
        const byte = piece[at] as number;
        if (byte === newline) {
          sink.bytes(piece, from, at);
          finish();
          from = at + 1;
          continue;
        }
        if (endsCell[byte]) state = 'cell';
        else if (byte === quote && state !== 'plain') state = 'quoted';
        else state = 'plain';
        if (byte !== carriageReturn) isFilled = true;
      }
      sink.bytes(piece, from, piece.length);
    },
    end() {
      if (isFilled) finish();
      // As an empty record, the end says that nothing else comes.
      if (!isBegun) finish();
    },
  };
}

/** For each byte, whether it ends an unquoted cell. */
function cellEnds(separators: readonly Delimiter[]): Uint8Array {
  const ends = new Uint8Array(256);
  for (const byte of [newline, ...separators.map((separator) => separator.charCodeAt(0))]) ends[byte] = 1;
  return ends;
}
