import { withoutByteOrderMark, withoutMark } from '@sluice/json/byte-order-mark.ts';
import { decodeText, textOfFile } from '@sluice/json/explain-bytes.ts';
import { explainSyntax } from '@sluice/json/explain-syntax.ts';
import { findIssues } from '@sluice/json/find-issues.ts';
import { isJson, parseJson, prototypeKey } from '@sluice/json/parse-json.ts';
import { noteNumbers } from '@sluice/schemas/infer/number-texts.ts';
import { objectsOf } from './objects-of.ts';
import { type Columns, type Kinds, readCsv } from './read-csv.ts';
import { mostRows, type Problem, splitRows, type WrittenRow } from './split-rows.ts';

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
    value = parseJson(text, noteNumbers);
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

function writtenRows(text: string, chosen: Kinds): Written {
  const { kind, rows, layout, problems } = splitRows(new TextEncoder().encode(text), true);
  if (kind === 'csv') {
    if (!layout) return { rows: [], problems, columns: {} };
    const read = readCsv(rows, layout, chosen);
    return { ...read, problems: [...read.problems, ...problems] };
  }
  const isOverLines = kind === 'lines' && rows[0] && !isJson(rows[0].text);
  const objects = isOverLines ? objectsOf(text).slice(0, mostRows) : [];
  if (objects.length === 0) return { rows, problems, columns: {} };
  return { rows: objects.map((text, at) => ({ row: at + 1, text })), problems, columns: {} };
}

const blankLines = /^(?:[ \t]*\r?\n)+/;

/**
 * Reads JSON objects over any number of lines, an array of objects, NDJSON, or CSV with a header.
 * `chosen`: the kinds of columns of a CSV, where they are not what most cells are.
 */
export function readSample(given: string, chosen: Kinds = {}): Sample {
  const text = withoutMark(given).replace(blankLines, '');
  if (text.trim() === '') return { rows: [], problems: [], columns: {} };
  const { rows, problems, columns } = writtenRows(text, chosen);
  const read = rows.map(readRow);
  const byRow = (a: Problem, b: Problem) => a.row - b.row;
  return {
    rows: read.filter((row) => 'value' in row),
    problems: [...problems, ...read.filter((row) => 'message' in row)].sort(byRow),
    columns,
  };
}

const mostBytes = 4 * 1024 ** 2;

async function startOf(file: File): Promise<{ bytes: Uint8Array; isWhole: boolean }> {
  const bytes = new Uint8Array(await file.slice(0, mostBytes).arrayBuffer());
  return { bytes: withoutByteOrderMark(bytes), isWhole: file.size <= mostBytes };
}

/** The first rows of a file, as text for `readSample`. Rejects when they are not UTF-8, or the first is too long. */
export async function readFile(file: File): Promise<string> {
  const { bytes, isWhole } = await startOf(file);
  const { kind, rows, problems, end } = splitRows(bytes, isWhole);
  const isShort = rows.length + problems.length < mostRows;
  if (isWhole && (isShort || objectsOf(decodeText(bytes) ?? '').length === 1)) return textOfFile(bytes);
  if (end === 0)
    throw new Error(problems[0]?.message ?? 'The first row is over 4 MiB and cannot be read here.');
  return textOfFile(bytes.subarray(0, end)) + (kind === 'array' ? '\n]' : '');
}
