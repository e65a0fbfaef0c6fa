import { laterMark } from '@sluice/json/byte-order-mark.ts';

/** In the order of preference. */
export const delimiters = [',', ';', '\t', '|'] as const;

export type Delimiter = (typeof delimiters)[number];

/** The delimiter that the header has most often outside of quotes. */
export function findDelimiter(header: string): Delimiter {
  const unquoted = header.replace(/"[^"]*"/g, '');
  const count = (delimiter: Delimiter) => unquoted.split(delimiter).length;
  return delimiters.reduce((best, other) => (count(other) > count(best) ? other : best));
}

/** The cells of a record without quotes, and which cells had quotes. */
export type CsvRecord = { ok: true; cells: string[]; quoted: boolean[] } | { ok: false; message: string };

const quote = 0x22;

/** Reads one record of CSV (RFC 4180 with other delimiters). Refuses records that readers of CSV understand differently. */
export function readRecord(text: string, delimiter: Delimiter = ','): CsvRecord {
  const { length } = text;
  const cells: string[] = [];
  const quoted: boolean[] = [];
  const problem = (message: string): CsvRecord => ({
    ok: false,
    message: `cell ${cells.length + 1} ${message}`,
  });
  if (text.startsWith('\ufeff')) return problem(`begins with a byte order mark: ${laterMark}`);
  let at = 0;
  for (;;) {
    if (text.charCodeAt(at) === quote) {
      let cell = '';
      let from = at + 1;
      for (;;) {
        const found = text.indexOf('"', from);
        if (found === -1) return problem('has a quote without an end');
        at = found + 1;
        if (text.charCodeAt(at) !== quote) {
          cell += text.slice(from, found);
          break;
        }
        cell += text.slice(from, at);
        from = at + 1;
      }
      const isLast = at === length || isLineEnd(text, at);
      if (!isLast && text[at] !== delimiter) return problem('has text after its closing quote');
      cells.push(cell);
      quoted.push(true);
      if (isLast) return { ok: true, cells, quoted };
      at += 1;
    } else {
      const next = text.indexOf(delimiter, at);
      const cell = next === -1 ? withoutLineEnd(text.slice(at)) : text.slice(at, next);
      if (cell.includes('"')) return problem('has a quote, but does not begin with one');
      cells.push(cell);
      quoted.push(false);
      if (next === -1) return { ok: true, cells, quoted };
      at = next + 1;
    }
  }
}

/** Reads a record, which must have a cell for each column. */
export function readCells(text: string, columns: number, delimiter?: Delimiter): CsvRecord {
  const record = readRecord(text, delimiter);
  if (!record.ok || record.cells.length === columns) return record;
  return { ok: false, message: `the record has ${record.cells.length} cells, there are ${columns} columns` };
}

const isLineEnd = (text: string, at: number) => /^\r?\n?$/.test(text.slice(at, at + 3));
const withoutLineEnd = (text: string) => text.replace(/\r?\n?$/, '');
