import { isJson } from '@sluice/json/parse-json.ts';
import { numbers, types } from '@sluice/schemas/fields/value-types.ts';
import type { Formulas } from '@sluice/shared/contracts/jobs.ts';

/** Text as an export writes it where a spreadsheet would run it: a `'` before it, and before what looks like one. */
const escapedFormula = /^'+(?:[\t\r]|\s*[=+\-@])/;
const needsQuotes = /[",\r\n]/;
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Takes away the `'` that an export put before a formula. */
export const rearm = (text: string): string => (escapedFormula.test(text) ? text.slice(1) : text);

/**
 * A cell as JSON; undefined where it says nothing. Text that is no value of the type that the schema wants becomes a
 * string, so that the schema says what is wrong with it. The rules are in docs/imports.md.
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
    // Where it may be text as well, exports have only these forms.
    const lower = takesText ? cell : cell.toLowerCase();
    return takes(types.boolean) && (lower === 'true' || lower === 'false') ? lower : undefined;
  }

  function toCompound(cell: string, quoted: boolean): string | undefined {
    if (!takes(cell[0] === '[' ? types.array : types.object)) return undefined;
    // Quotes that nothing in it needs are those that an export gives to text.
    if (quoted && takesText && !needsQuotes.test(cell)) return undefined;
    return isJson(cell) ? cell : undefined;
  }

  return (cell, quoted) => {
    if (cell === '') return quoted && takesText ? '""' : undefined;
    if (isOnlyText) return toText(cell);
    // Quotes tell a string from a number only where it can be either.
    if (!(quoted && takesText)) {
      const scalar = toScalar(cell);
      if (scalar !== undefined) return scalar;
    }
    const compound = cell[0] === '[' || cell[0] === '{' ? toCompound(cell, quoted) : undefined;
    return compound ?? toText(cell);
  };
}
