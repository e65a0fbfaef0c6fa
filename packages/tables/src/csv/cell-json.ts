import { isJson } from '@sluice/json/parse-json.ts';
import { numbers, types } from '@sluice/schemas/types.ts';

export const formulas = ['escape', 'raw'] as const;
export type Formulas = (typeof formulas)[number];

/** A formula in a spreadsheet, also after apostrophes. Spreadsheets strip a leading tab or CR. */
export const formula = /^'*(?:[\t\r]|\s*[=+\-@])/;
/** Exports put a `'` before text that a spreadsheet would run as a formula, and before such escaped text. */
const escapedFormula = /^'+(?:[\t\r]|\s*[=+\-@])/;
const needsQuotes = /[",\r\n]/;
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Puts a `'` before a formula. */
export const disarm = (text: string): string => (formula.test(text) ? `'${text}` : text);

/** Removes the `'` that an export put before a formula. */
export const rearm = (text: string): string => (escapedFormula.test(text) ? text.slice(1) : text);

/**
 * Turns a cell into JSON; undefined for a cell without a value. Text of a wrong type becomes a string, which the schema refuses.
 * The rules are in docs/imports.md.
 */
export function createCellJson(
  allowed: number,
  formulas: Formulas,
): (cell: string, quoted: boolean) => string | undefined {
  const takes = (some: number) => (allowed & some) !== 0;
  const takesText = takes(types.string);
  const isOnlyText = takesText && !takes(~(types.string | types.null));
  const toText = (cell: string) => JSON.stringify(formulas === 'escape' ? rearm(cell) : cell);

  function toScalar(cell: string): string | undefined {
    if (takes(numbers) && jsonNumber.test(cell)) return cell;
    if (takes(types.null) && cell === 'null') return cell;
    // If text is allowed too, only lower case is a boolean, as exports write it.
    const lower = takesText ? cell : cell.toLowerCase();
    return takes(types.boolean) && (lower === 'true' || lower === 'false') ? lower : undefined;
  }

  function toCompound(cell: string, quoted: boolean): string | undefined {
    if (!takes(cell[0] === '[' ? types.array : types.object)) return undefined;
    // Exports quote text even if nothing in it needs quotes.
    if (quoted && takesText && !needsQuotes.test(cell)) return undefined;
    return isJson(cell) ? cell : undefined;
  }

  return (cell, quoted) => {
    if (cell === '') return quoted && takesText ? '""' : undefined;
    if (isOnlyText) return toText(cell);
    // Quotes mark a string only if the schema allows text.
    if (!(quoted && takesText)) {
      const scalar = toScalar(cell);
      if (scalar !== undefined) return scalar;
    }
    const compound = cell[0] === '[' || cell[0] === '{' ? toCompound(cell, quoted) : undefined;
    return compound ?? toText(cell);
  };
}
