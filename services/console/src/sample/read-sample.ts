import { words } from '../words/en.ts';
import { readCsv } from './read-csv.ts';

export interface Sample {
  rows: object[];
  /** Why there are none. `row` is that of the text, from 1. */
  problem?: { row: number; message: string };
}

/** As many rows as are looked at. */
export const mostRows = 1_000;

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function fromValues(values: unknown[]): Sample {
  const other = values.findIndex((value) => !isObject(value));
  if (other >= 0) return { rows: [], problem: { row: other + 1, message: words.sample.notObject } };
  return { rows: values as object[] };
}

function fromLines(text: string): Sample {
  const values: unknown[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    try {
      values.push(JSON.parse(line));
    } catch (error) {
      return { rows: [], problem: { row: index + 1, message: (error as Error).message } };
    }
  }
  return fromValues(values);
}

/** One JSON value that may go over several lines; undefined where the text is none. */
function wholeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function read(text: string): Sample {
  if (text === '') return { rows: [] };
  if (!/^[[{]/.test(text)) return readCsv(text);
  const whole = wholeJson(text);
  if (whole === undefined) return fromLines(text);
  return fromValues(Array.isArray(whole) ? whole : [whole]);
}

/** Reads what was pasted: a JSON object, an array of them, NDJSON, or CSV with a header. */
export function readSample(text: string): Sample {
  const { rows, ...rest } = read(text.replace(/^\uFEFF/, '').trim());
  return { rows: rows.slice(0, mostRows), ...rest };
}
