/** Characters with which a spreadsheet begins a formula, behind white space too; a tab or CR it would strip first. */
const runsAsFormula = /^(?:[\t\r]|\s*[=+\-@])/;

/** A cell as csv-stringify takes it: `undefined` is empty, `''` is written as `""`. */
export type Cell = string | undefined;

/** Text that a spreadsheet would run gets a leading `'`. */
export function disarm(text: string): string {
  return runsAsFormula.test(text) ? `'${text}` : text;
}

/** One leaf of a payload as text. Numbers are printed as JSON prints them, arrays and empty objects as JSON. */
export function toCell(value: unknown, formulas: 'escape' | 'raw'): Cell {
  if (typeof value === 'string') return formulas === 'escape' ? disarm(value) : value;
  if (value === null || value === undefined) return undefined;
  return JSON.stringify(value);
}
