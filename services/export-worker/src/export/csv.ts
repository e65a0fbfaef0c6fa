import { type Options, stringify } from 'csv-stringify';
import { type Cell, disarm } from './cells.ts';

/** RFC 4180. What is empty is told apart: a missing value is nothing, an empty string `""`. */
const options: Options = {
  record_delimiter: '\r\n',
  // Without it a bare CR or LF in a cell is not quoted once the delimiter is set.
  quote_record_delimiter: true,
  quoted_match: /^$/,
};

/** A stream that takes rows (`Cell[]`) and gives CSV. */
export function csvStringifier() {
  return stringify(options);
}

/** The names of the columns as a row. */
export function headerRow(names: string[], formulas: 'escape' | 'raw'): Cell[] {
  return formulas === 'escape' ? names.map(disarm) : names;
}
