import { withoutByteOrderMark } from '@sluice/json/byte-order-mark.ts';
import { memberText } from '@sluice/json/member-text.ts';
import { fromPointer, toPointer } from '@sluice/json/pointer.ts';
import type { CsvLayout } from '@sluice/tables/csv/header.ts';
import { createRecordJson } from '@sluice/tables/csv/row.ts';
import { readRow, type SampleRow } from '@sluice/tables/sample/read-sample.ts';
import { splitRows, type WrittenRow } from '@sluice/tables/sample/split-rows.ts';
import { createCheckRow, type RowFault } from '../../json/check-rows.ts';
import { parseExact } from '../../json/exact.ts';
import { words } from '../../words/en.ts';
import { type Chosen, knownIn, type MappedColumn, toColumns, toParameter } from './columns.ts';

export const fileTypes = {
  ndjson: 'application/x-ndjson',
  json: 'application/json',
  csv: 'text/csv',
} as const;

export type FileType = keyof typeof fileTypes;

const kinds = { ndjson: 'lines', json: 'array', csv: 'csv' } as const;

/** The type by the name of a file, which may be compressed; undefined for other names. */
export function fileTypeOf(name: string): FileType | undefined {
  const extension = /\.(\w+)(?:\.(?:gz|zst))?$/i.exec(name)?.[1]?.toLowerCase();
  if (extension === 'csv' || extension === 'json') return extension;
  return extension === 'ndjson' || extension === 'jsonl' ? 'ndjson' : undefined;
}

/** A row of the file: what would be stored, why it would be refused, or both. */
export interface PreviewRow {
  row: number;
  value?: Record<string, unknown>;
  problem?: string;
}

export interface PreviewOptions {
  type: FileType;
  /** Each line is an entry of an export, with its time. */
  isWrapped: boolean;
  schema: Record<string, unknown>;
  /** Of a CSV. */
  chosen: Chosen;
}

export interface Preview {
  rows: PreviewRow[];
  /** Of a CSV. */
  columns: MappedColumn[];
  /** Columns, or members of objects, that are not in the schema: those that it allows, and those that it refuses. */
  unknown: { stored: string[]; refused: string[] };
}

type Check = (row: SampleRow) => RowFault[];
type ToJson = (row: WrittenRow) => WrittenRow | PreviewRow;

function recordReader(schema: Record<string, unknown>, layout: CsvLayout): ToJson {
  const read = createRecordJson(schema, layout, 'escape');
  return ({ row, text }) => {
    const record = read(text);
    return 'json' in record ? { row, text: record.json } : { row, problem: record.fault };
  };
}

/** The payload of a line of an export. */
const unwrap: ToJson = ({ row, text }) => {
  const written = readRow({ row, text });
  const payload = 'value' in written && memberText(text, 'payload');
  return payload ? { row, text: payload } : { row, problem: words.imports.notWrapped };
};

/** Up to the first thousand rows of a file, read with the code of the importer and checked with the schema. */
export async function readPreview(
  file: File,
  { type, isWrapped, schema, chosen }: PreviewOptions,
): Promise<Preview> {
  // Few files are packed, so the page loads without what unpacks them.
  const { startOf } = await import('./start-of-file.ts');
  const { bytes, isWhole } = await startOf(file);
  const split = (names?: string) =>
    splitRows(withoutByteOrderMark(bytes), isWhole, kinds[type], { schema, names });
  const own = split();
  const columns = own.layout ? toColumns(own.layout, schema, chosen) : [];
  const names = toParameter(columns);
  const { rows, layout, problems } = names ? split(names) : own;
  const toJson = layout ? recordReader(schema, layout) : isWrapped ? unwrap : undefined;
  const check = checkOf(schema);
  const read = rows.map((written): PreviewRow => {
    const json = toJson?.(written) ?? written;
    if (!('text' in json)) return json;
    const sample = readRow(json);
    if (!('value' in sample)) return { row: json.row, problem: sample.message };
    const value = parseExact(json.text) as Record<string, unknown>;
    const faults = check(sample).map(({ path, message }) => `${path} ${message}`.trim());
    return { row: json.row, value, ...(faults.length > 0 && { problem: faults.join(' ') }) };
  });
  const unread = problems.map(({ row, message }) => ({ row, problem: message }));
  const all = [...read, ...unread].sort((a, b) => a.row - b.row);
  const found = type === 'csv' ? fieldsOf(columns) : membersOf(all);
  return { rows: all, columns, unknown: unknownOf(found, schema, check) };
}

/** Names in the file, by their fields. */
type Found = Map<string, string>;

const fieldsOf = (columns: MappedColumn[]): Found =>
  new Map(columns.flatMap(({ name, pointer }) => (pointer === null ? [] : [[pointer, name]])));

const membersOf = (rows: PreviewRow[]): Found =>
  new Map(rows.flatMap(({ value = {} }) => Object.keys(value).map((key) => [toPointer([key]), key])));

function unknownOf(found: Found, schema: Record<string, unknown>, check: Check): Preview['unknown'] {
  const isKnown = knownIn(schema);
  const unknown: Preview['unknown'] = { stored: [], refused: [] };
  for (const [pointer, name] of found)
    if (!isKnown(pointer)) unknown[isRefused(pointer, check) ? 'refused' : 'stored'].push(name);
  return unknown;
}

/** Whether the schema allows no such field, whatever its value. */
function isRefused(pointer: string, check: Check): boolean {
  const value = fromPointer(pointer).reduceRight<unknown>((inner, key) => ({ [key]: inner }), null);
  const faults = check({ row: 0, value: value as object });
  return faults.some(({ path, isForbidden }) => isForbidden && `${pointer}/`.startsWith(`${path}/`));
}

/** A schema that the page cannot use refuses nothing here; the importer decides. */
function checkOf(schema: object): Check {
  try {
    return createCheckRow(schema);
  } catch {
    return () => [];
  }
}
