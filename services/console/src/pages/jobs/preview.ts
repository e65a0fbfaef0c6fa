import { previewFile, type Sample, type SampleRow } from '@sluice/tables/sample/read-sample.ts';

export const fileTypes = {
  ndjson: 'application/x-ndjson',
  json: 'application/json',
  csv: 'text/csv',
} as const;

export type FileType = keyof typeof fileTypes;

/** The type by the name of a file, which may be compressed; undefined for other names. */
export function fileTypeOf(name: string): FileType | undefined {
  const extension = /\.(\w+)(?:\.(?:gz|zst))?$/i.exec(name)?.[1]?.toLowerCase();
  if (extension === 'csv' || extension === 'json') return extension;
  return extension === 'ndjson' || extension === 'jsonl' ? 'ndjson' : undefined;
}

export const isCompressed = (name: string): boolean => /\.(gz|zst)$/i.test(name);

export interface Preview {
  columns: { name: string; type: string }[];
  rows: { number: number; cells: string[] }[];
  problems: Sample['problems'];
}

const [mostRows, mostColumns] = [5, 30];

type Row = Record<string, unknown>;

/** The first rows of a file, with the types of the fields in up to a thousand rows. */
export async function readPreview(file: File): Promise<Preview> {
  const { rows, problems } = await previewFile(file);
  return { ...toTable(rows), problems };
}

function toTable(sample: SampleRow[]): Omit<Preview, 'problems'> {
  const all = sample.map(({ value }) => value as Row);
  const names = [...new Set(all.flatMap((row) => Object.keys(row)))].slice(0, mostColumns);
  const typesOf = (name: string) => all.flatMap((row) => (row[name] === undefined ? [] : typeOf(row[name])));
  return {
    columns: names.map((name) => ({ name, type: [...new Set(typesOf(name))].join(' | ') })),
    rows: sample.slice(0, mostRows).map(({ row, value }) => ({
      number: row,
      cells: names.map((name) => toText((value as Row)[name])),
    })),
  };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function toText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
