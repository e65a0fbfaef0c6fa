import Papa from 'papaparse';
import { words } from '../words/en.ts';
import type { Sample } from './read-sample.ts';

type Convert = (cell: string) => unknown;

const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const jsonOrText: Convert = (cell) => {
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
};

/** A column has the type that all its cells have, as an import into the inferred schema takes them. */
function converterFor(cells: string[]): Convert {
  const filled = cells.filter((cell) => cell !== '');
  if (filled.every((cell) => jsonNumber.test(cell))) return Number;
  if (filled.every((cell) => /^(true|false)$/i.test(cell))) return (cell) => cell.toLowerCase() === 'true';
  if (filled.every((cell) => typeof jsonOrText(cell) === 'object')) return jsonOrText;
  return (cell) => cell;
}

/** A header such as `address.city` names a field of an object. */
function put(row: Record<string, unknown>, [key = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    row[key] = value;
    return;
  }
  const found = Object.hasOwn(row, key) ? row[key] : undefined;
  const inner = typeof found === 'object' && found !== null ? found : {};
  row[key] = inner;
  put(inner as Record<string, unknown>, rest, value);
}

/** Rows of a CSV with a header. An empty cell is no value. */
export function readCsv(text: string): Sample {
  const { data, errors } = Papa.parse<string[]>(text, { skipEmptyLines: true, delimiter: ',' });
  const [header = [], ...lines] = data;
  const [error] = errors;
  if (error) return { rows: [], problem: { row: (error.row ?? 0) + 1, message: error.message } };
  const ragged = lines.findIndex((cells) => cells.length !== header.length);
  if (ragged >= 0) {
    const message = words.sample.cells(lines[ragged]?.length ?? 0, header.length);
    return { rows: [], problem: { row: ragged + 2, message } };
  }
  const converters = header.map((_, column) => converterFor(lines.map((cells) => cells[column] ?? '')));
  const rows = lines.map((cells) => {
    const row: Record<string, unknown> = {};
    for (const [column, cell] of cells.entries()) {
      if (cell !== '') put(row, header[column]?.split('.') ?? [], converters[column]?.(cell));
    }
    return row;
  });
  return { rows };
}
