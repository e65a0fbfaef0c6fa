import { explainSyntax } from '@sluice/json/explain-syntax.ts';
import { findIssues } from '@sluice/json/find-issues.ts';
import { isJson, parseJson, prototypeKey } from '@sluice/json/parse-json.ts';
import { noteDecimals } from '@sluice/schemas/infer/decimals.ts';
import { objectsOf } from './objects-of.ts';
import { type Columns, type Kinds, readCsv } from './read-csv.ts';
import {
  decode,
  mostRows,
  type Problem,
  splitRows,
  type WrittenRow,
  withoutByteOrderMark,
} from './split-rows.ts';

export interface SampleRow {
  /** Counted like the lines in the report of an import. */
  row: number;
  value: object;
}

export interface Sample {
  rows: SampleRow[];
  problems: Problem[];
  /** Of a CSV. */
  columns: Columns;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads a row by the rules for uploads. */
export function readRow({ row, text }: WrittenRow): SampleRow | Problem {
  let value: unknown;
  try {
    value = parseJson(text, noteDecimals);
  } catch (error) {
    return { row, message: `This is not JSON: ${explainSyntax(text, error)}.` };
  }
  const issues = findIssues(text);
  if (issues === 'forbidden') return { row, message: `The key ${prototypeKey} is not accepted.` };
  const [issue] = issues;
  if (issue) return { row, message: `${issue.path} ${issue.message}` };
  return isObject(value) ? { row, value } : { row, message: 'This is not a JSON object.' };
}

interface Written extends Omit<Sample, 'rows'> {
  rows: WrittenRow[];
}

function writtenRows(bytes: Uint8Array, chosen: Kinds): Written {
  const { kind, rows, layout, problem } = splitRows(bytes, true);
  const problems = problem ? [problem] : [];
  if (kind === 'csv') {
    if (!layout) return { rows: [], problems, columns: {} };
    const read = readCsv(rows, layout, chosen);
    return { ...read, problems: [...read.problems, ...problems] };
  }
  const isOverLines = kind === 'lines' && rows[0] && !isJson(rows[0].text);
  const objects = isOverLines ? objectsOf(decode(bytes)).slice(0, mostRows) : [];
  if (objects.length === 0) return { rows, problems, columns: {} };
  return { rows: objects.map((text, at) => ({ row: at + 1, text })), problems, columns: {} };
}

/** Reads JSON objects over any number of lines, an array of objects, NDJSON, or CSV with a header. */
function readRows(given: Uint8Array, chosen: Kinds): Sample {
  const bytes = withoutByteOrderMark(given);
  if (decode(bytes.subarray(0, 1_024)).trim() === '') return { rows: [], problems: [], columns: {} };
  const { rows, problems, columns } = writtenRows(bytes, chosen);
  const read = rows.map(readRow);
  const byRow = (a: Problem, b: Problem) => a.row - b.row;
  return {
    rows: read.filter((row) => 'value' in row),
    problems: [...problems, ...read.filter((row) => 'message' in row)].sort(byRow),
    columns,
  };
}

const blankLines = /^(?:[ \t]*\r?\n)+/;

/** `chosen`: the kinds of columns of a CSV, where they are not what most cells are. */
export const readSample = (text: string, chosen: Kinds = {}): Sample =>
  readRows(new TextEncoder().encode(text.replace(blankLines, '')), chosen);

const mostBytes = 4 * 1024 ** 2;

async function startOf(file: File): Promise<{ bytes: Uint8Array; isWhole: boolean }> {
  const bytes = new Uint8Array(await file.slice(0, mostBytes).arrayBuffer());
  return { bytes: withoutByteOrderMark(bytes), isWhole: file.size <= mostBytes };
}

/** The first rows of a file, as text for `readSample`. Rejects when the first row is too long. */
export async function readFile(file: File): Promise<string> {
  const { bytes, isWhole } = await startOf(file);
  const { kind, rows, end } = splitRows(bytes, isWhole);
  const text = decode(bytes);
  if (isWhole && (rows.length < mostRows || objectsOf(text).length === 1)) return text;
  if (rows.length === 0) throw new Error('The first row is over 4 MiB and cannot be read here.');
  return decode(bytes.subarray(0, end)) + (kind === 'array' ? '\n]' : '');
}
