import Papa from 'papaparse';
import type { FileType } from './file-type.ts';

export interface Preview {
  columns: { name: string; type: string }[];
  /** Numbered from 1, with the texts of the cells; empty where a row has no such field. */
  rows: { number: number; cells: string[] }[];
}

/** So much of a file is read to show its first rows. */
const headBytes = 1024 ** 2;
const [mostRows, mostColumns] = [5, 30];

type Row = Record<string, unknown>;

/** The first rows of a file. Undefined where they cannot be told from its first MiB. */
export async function readPreview(file: Blob, type: FileType): Promise<Preview | undefined> {
  const head = (await file.slice(0, headBytes).text()).replace(/^\uFEFF/, '');
  try {
    return toPreview(readers[type](head));
  } catch {
    return undefined;
  }
}

const readers: Record<FileType, (head: string) => Row[]> = {
  ndjson: (head) =>
    head
      .split('\n')
      .filter((line) => line.trim() !== '')
      .slice(0, mostRows)
      .map((line) => JSON.parse(line)),
  json: (head) => JSON.parse(head).slice(0, mostRows),
  csv(head) {
    const { data } = Papa.parse<Record<string, string>>(head, {
      header: true,
      preview: mostRows,
      skipEmptyLines: true,
    });
    return data.map((row) => mapValues(row, valueOfCell));
  },
};

const mapValues = (row: Record<string, string>, change: (cell: string) => unknown): Row =>
  Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, change(cell)]));

/** What a cell looks like; the schema decides what it becomes. */
function valueOfCell(cell: string): unknown {
  if (cell === '') return undefined;
  if (!/^(?:-?\d|true$|false$)/.test(cell)) return cell;
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function toPreview(rows: Row[]): Preview | undefined {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].slice(0, mostColumns);
  if (names.length === 0) return undefined;
  const typesOf = (name: string) => rows.flatMap((row) => (row[name] === undefined ? [] : typeOf(row[name])));
  return {
    columns: names.map((name) => ({ name, type: [...new Set(typesOf(name))].join(' | ') })),
    rows: rows.map((row, place) => ({ number: place + 1, cells: names.map((name) => toText(row[name])) })),
  };
}

function toText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
