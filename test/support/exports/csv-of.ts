import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';

export type Formulas = 'escape' | 'raw';
export const formulas = fc.constantFrom<Formulas>('escape', 'raw');

const runs = /^'*(?:[\t\r]|\s*[=+\-@])/;
const readsAsJson = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$|^[[{]/;

/** A file as it has to be, from objects, by csv-stringify. */
export function csvOf(header: string[], rows: unknown[][], mode: Formulas): string {
  const disarm = (value: string) => (mode === 'escape' && runs.test(value) ? `'${value}` : value);
  const options = { record_delimiter: '\r\n' as const, quote_record_delimiter: true, quoted_match: /^$/ };
  const empty = header.length === 1 ? '' : undefined;
  const json = (value: unknown) => JSON.stringify(value);
  const cast = {
    string: (value: string) => ({ value: disarm(value), quoted: readsAsJson.test(value) }),
    date: (value: Date) => value.toISOString(),
    number: json,
    boolean: json,
    object: json,
  };
  const filled = rows.map((row) => row.map((value) => value ?? empty));
  return stringify([header.map(disarm)], options) + stringify(filled, { ...options, cast });
}
