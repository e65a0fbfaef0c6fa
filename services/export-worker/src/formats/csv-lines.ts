import { stringify } from 'csv-stringify/sync';
import { type ByteSink, clear, createByteSink, reserve } from './byte-sink.ts';

/** What csv-stringify takes at once. Strings of longer blocks would leave the processor's cache. */
const blockBytes = 32 * 1024;

/** csv-stringify quotes each string, and a number only if its text needs it. So a number is the length of a text. */
type Cell = number | string | undefined;

/**
 * Lines by RFC 4180, made by csv-stringify, each of `width` cells. A cell is written to `text` and then ended.
 * Bytes of UTF-8 pass as characters of latin1, since only ASCII has a meaning in CSV.
 */
export function createCsvLines(sink: ByteSink, width: number) {
  const text = createByteSink(2 * blockBytes);
  /** Rows of the next blocks take the arrays of this one. */
  const rows: Cell[][] = [];
  let row: Cell[] = [];
  let count = 0;
  let cells = 0;
  /** Where the text of the current cell begins in `text`. */
  let begin = 0;
  let decoded = '';
  let at = 0;
  // It asks for each cell once, in their order.
  const options = {
    record_delimiter: '\r\n',
    quote_record_delimiter: true,
    quoted_string: true,
    cast: {
      number(length: number) {
        at += length;
        return decoded.slice(at - length, at);
      },
      string(value: string) {
        at += value.length;
        return value;
      },
    },
  };

  /** About the bytes of the lines to come. */
  const size = () => text.length + (width + 1) * count;

  function beginRow(): void {
    row = rows[count] ??= Array.from<Cell>({ length: width });
    cells = 0;
    begin = text.length;
  }

  function flush(): void {
    if (count === 0) return;
    decoded = text.bytes.toString('latin1', 0, text.length);
    at = 0;
    const lines = stringify(rows.slice(0, count), options);
    reserve(sink, lines.length);
    sink.length += sink.bytes.write(lines, sink.length, 'latin1');
    clear(text);
    count = 0;
    beginRow();
  }

  beginRow();
  return {
    text,
    flush,

    /** Ends a cell whose text gets quotes if needed. */
    end(): void {
      row[cells++] = text.length - begin;
      begin = text.length;
    },

    /** Ends a cell whose text gets quotes. */
    endQuoted(): void {
      row[cells++] = text.bytes.toString('latin1', begin, text.length);
      begin = text.length;
    },

    endEmpty(): void {
      row[cells++] = undefined;
    },

    endRow(): void {
      count += 1;
      beginRow();
    },

    flushIfLong(): void {
      if (size() >= blockBytes) flush();
    },

    size,
    mark: () => ({ count, length: text.length }),

    /** Removes what was written after a mark. */
    cutTo(mark: { count: number; length: number }): void {
      count = mark.count;
      text.length = mark.length;
      beginRow();
    },
  };
}
