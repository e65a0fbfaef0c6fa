import { readFile } from '../../sample/read-file.ts';
import { readSample, type Sample } from '../../sample/read-sample.ts';

export interface Preview {
  columns: { name: string; type: string }[];
  /** Numbered from 1, with the texts of the cells; empty where a row has no such field. */
  rows: { number: number; cells: string[] }[];
  problem?: Sample['problem'];
}

const [mostRows, mostColumns] = [5, 30];

type Row = Record<string, unknown>;

/** How a file begins: its first rows, with the types of what up to a thousand have. Rejects when it cannot be read in part. */
export async function readPreview(file: File): Promise<Preview> {
  const { rows, problem } = readSample(await readFile(file));
  return { ...toTable(rows as Row[]), ...(problem && { problem }) };
}

function toTable(all: Row[]): Omit<Preview, 'problem'> {
  const names = [...new Set(all.flatMap((row) => Object.keys(row)))].slice(0, mostColumns);
  const typesOf = (name: string) => all.flatMap((row) => (row[name] === undefined ? [] : typeOf(row[name])));
  return {
    columns: names.map((name) => ({ name, type: [...new Set(typesOf(name))].join(' | ') })),
    rows: all.slice(0, mostRows).map((row, place) => ({
      number: place + 1,
      cells: names.map((name) => toText(row[name])),
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
