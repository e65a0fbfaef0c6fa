import { stringify } from 'csv-stringify/sync';
import { type ByteSink, clear, createByteSink, reserve } from './byte-sink.ts';

/** What csv-stringify takes at once. Strings of longer blocks would leave the processor's cache. */
const blockRows = 1_000;
const blockBytes = 32 * 1024;

/** csv-stringify quotes each string, and a number only if its text needs it. So a number names a text. */
type Cell = number | string | undefined;

/**
 * Lines by RFC 4180, made by csv-stringify. A cell is written to `text` and then ended.
 * Bytes of UTF-8 pass as characters of latin1, since only ASCII has a meaning in CSV.
 */
export function createCsvLines(sink: ByteSink) {
  const text = createByteSink(2 * blockBytes);
  /** Where the text of each cell ends in `text`. */
  const ends: number[] = [0];
  let rows: Cell[][] = [];
  let row: Cell[] = [];
  let decoded = '';
  const options = {
    record_delimiter: '\r\n',
    quote_record_delimiter: true,
    quoted_string: true,
    cast: { number: (place: number) => decoded.slice(ends[place - 1], ends[place]) },
  };

  function flush(): void {
    if (rows.length === 0) return;
    decoded = text.bytes.toString('latin1', 0, text.length);
    const lines = stringify(rows, options);
    reserve(sink, lines.length);
    sink.length += sink.bytes.write(lines, sink.length, 'latin1');
    clear(text);
    ends.length = 1;
    rows = [];
  }

  return {
    text,
    flush,

    /** Ends a cell whose text gets quotes if needed. */
    end(): void {
      row.push(ends.length);
      ends.push(text.length);
    },

    /** Ends a cell whose text gets quotes. */
    endQuoted(): void {
      row.push(text.bytes.toString('latin1', ends.at(-1), text.length));
      ends.push(text.length);
    },

    endEmpty: () => void row.push(undefined),

    endRow(): void {
      rows.push(row);
      row = [];
    },

    flushIfLong(): void {
      if (rows.length >= blockRows || text.length >= blockBytes) flush();
    },

    /** About the bytes of the lines to come. */
    size: () => text.length + ends.length - 1 + 2 * rows.length,
    mark: () => ({ rows: rows.length, ends: ends.length }),

    /** Removes what was written after a mark. */
    cutTo(mark: { rows: number; ends: number }): void {
      rows.length = mark.rows;
      row = [];
      ends.length = mark.ends;
      text.length = ends.at(-1) as number;
    },
  };
}
