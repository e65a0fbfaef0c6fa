import { explainSyntax } from '@sluice/json/explain-syntax.ts';
import { findIssues } from '@sluice/json/find-issues.ts';
import { parseJson, prototypeKey } from '@sluice/json/parse-json.ts';
import { words } from '../words/en.ts';
import { readCsv } from './read-csv.ts';
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

/** Whether the text is one JSON object, perhaps over several lines. */
function isOneObject(text: string): boolean {
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

/** Reads a JSON object, an array of objects, NDJSON, or CSV with a header. `isWhole`: nothing is cut off. */
function readRows(given: Uint8Array, isWhole: boolean): Sample {
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

export const readSample = (text: string): Sample =>
  readRows(new TextEncoder().encode(text.replace(blankLines, '')), true);

const mostBytes = 4 * 1024 ** 2;

async function startOf(file: File): Promise<{ bytes: Uint8Array; isWhole: boolean }> {
  const bytes = new Uint8Array(await file.slice(0, mostBytes).arrayBuffer());
  return { bytes: withoutByteOrderMark(bytes), isWhole: file.size <= mostBytes };
}

export async function previewFile(file: File): Promise<Sample> {
  const { bytes, isWhole } = await startOf(file);
  return readRows(bytes, isWhole);
}

/** The first rows of a file, as text for `readSample`. Rejects when the first row is too long. */
export async function readFile(file: File): Promise<string> {
  const { bytes, isWhole } = await startOf(file);
  const { kind, rows, end } = splitRows(bytes, isWhole);
  const text = decode(bytes);
  if (isWhole && (rows.length < mostRows || isOneObject(text))) return text;
  if (rows.length === 0) throw new Error(words.sample.rowTooLong);
  return decode(bytes.subarray(0, end)) + (kind === 'array' ? '\n]' : '');
}
