import { explainSyntax } from '@sluice/json/explain-syntax.ts';
import { findIssues } from '@sluice/json/find-issues.ts';
import { parseJson, prototypeKey } from '@sluice/json/parse-json.ts';
import { words } from '../words/en.ts';
import { readCsv } from './read-csv.ts';
import { decode, type Problem, splitRows, type WrittenRow, withoutByteOrderMark } from './split-rows.ts';

export interface SampleRow {
  /** As the report of an import counts it. */
  row: number;
  value: object;
}

export interface Sample {
  rows: SampleRow[];
  /** Of the rows that an import would refuse under any schema. */
  problems: Problem[];
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads a row by the rules for uploads. */
function readRow({ row, text }: WrittenRow): SampleRow | Problem {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    return { row, message: words.sample.notJson(explainSyntax(text, error)) };
  }
  const issues = findIssues(text);
  if (issues === 'forbidden') return { row, message: words.sample.forbidden(prototypeKey) };
  const [issue] = issues;
  if (issue) return { row, message: `${issue.path} ${issue.message}` };
  return isObject(value) ? { row, value } : { row, message: words.sample.notObject };
}

/** One JSON object, which may go over several lines. */
export function isOneObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

function writtenRows(bytes: Uint8Array, isWhole: boolean): { rows: WrittenRow[]; problems: Problem[] } {
  const { kind, rows, layout, problem } = splitRows(bytes, isWhole);
  const problems = problem ? [problem] : [];
  if (kind === 'csv') {
    if (!layout) return { rows: [], problems };
    const read = readCsv(rows, layout);
    return { rows: read.rows, problems: [...read.problems, ...problems] };
  }
  const text = decode(bytes);
  return kind === 'lines' && isOneObject(text) ? { rows: [{ row: 1, text }], problems } : { rows, problems };
}

/** Reads the bytes of a JSON object, an array of them, NDJSON, or CSV with a header. `isWhole`: they are not cut off. */
export function readRows(given: Uint8Array, isWhole: boolean): Sample {
  const bytes = withoutByteOrderMark(given);
  if (decode(bytes.subarray(0, 1_024)).trim() === '') return { rows: [], problems: [] };
  const { rows, problems } = writtenRows(bytes, isWhole);
  const read = rows.map(readRow);
  const byRow = (a: Problem, b: Problem) => a.row - b.row;
  return {
    rows: read.filter((row) => 'value' in row),
    problems: [...problems, ...read.filter((row) => 'message' in row)].sort(byRow),
  };
}

const blankLines = /^(?:[ \t]*\r?\n)+/;

/** Reads what was pasted. */
export const readSample = (text: string): Sample =>
  readRows(new TextEncoder().encode(text.replace(blankLines, '')), true);
