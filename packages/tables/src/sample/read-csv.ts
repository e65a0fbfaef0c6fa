import { fromPointer } from '@sluice/json/pointer.ts';
import { numbers, types } from '@sluice/schemas/types.ts';
import { createCellJson } from '../csv/cell-json.ts';
import type { CsvLayout } from '../csv/header.ts';
import { type CsvRecord, readCells } from '../csv/record.ts';
import { createRowJson, RowProblem } from '../csv/row.ts';
import type { Problem, WrittenRow } from './split-rows.ts';

type Cells = Extract<CsvRecord, { ok: true }>;

/** What a column may be, besides text; `bits` for the reader of cells. */
const kinds = [
  { name: 'number', type: ['number', 'null'], bits: numbers | types.null },
  { name: 'boolean', type: ['boolean', 'null'], bits: types.boolean | types.null },
  { name: 'json', type: ['array', 'object', 'null'], bits: types.array | types.object | types.null },
] as const;
const text = { name: 'string', type: ['string'], bits: types.string } as const;
type CellKind = (typeof kinds)[number] | typeof text;

/** The type of the cells of a column, and what was found in them. */
export interface CsvColumn {
  kind: CellKind['name'];
  /** The kind besides text that most cells have. */
  most: Exclude<CellKind['name'], 'string'>;
  fits: number;
  filled: number;
}

export type Columns = Readonly<Record<string, CsvColumn>>;
/** Chosen kinds, by the pointers of the columns. */
export type Kinds = Readonly<Record<string, string | undefined>>;

const kindOf = (name: string | undefined): CellKind | undefined =>
  [...kinds, text].find((kind) => kind.name === name);

/** A cell that fits no type becomes a string. */
function fitter({ bits }: CellKind): (cell: string) => boolean {
  const toJson = createCellJson(bits, 'escape');
  return (cell) => cell === '' || bits === types.string || !toJson(cell, true)?.startsWith('"');
}

// Postcodes and numbers of accounts begin with zeros.
const hasLeadingZero = (cell: string) => /^[+-]?0\d/.test(cell);
/** At least so many cells of a column have its type; fewer make it text. */
const mostly = 0.75;

function columnOf(cells: string[], chosen: string | undefined): CsvColumn {
  const filled = cells.filter((cell) => cell !== '');
  const counts = kinds.map((kind) => ({ most: kind.name, fits: filled.filter(fitter(kind)).length }));
  const { most, fits } = counts.reduce((best, each) => (each.fits > best.fits ? each : best));
  const isText = fits < filled.length * mostly || (most === 'number' && filled.some(hasLeadingZero));
  return { kind: kindOf(chosen)?.name ?? (isText ? 'string' : most), most, fits, filled: filled.length };
}

interface Schema extends Record<string, unknown> {
  type?: string[];
  properties: Record<string, Schema>;
}

/** The schema that these cells would be imported with. */
function schemaOf(pointers: (string | null)[], columns: Columns): Schema {
  const root: Schema = { properties: {} };
  for (const pointer of pointers) {
    let here = root;
    for (const key of fromPointer(pointer ?? '')) {
      if (!Object.hasOwn(here.properties, key)) here.properties[key] = { properties: {} };
      here = here.properties[key] as Schema;
    }
    if (pointer !== null) here.type = [...(kindOf(columns[pointer]?.kind) ?? text).type];
  }
  return root;
}

export interface Csv {
  rows: WrittenRow[];
  problems: Problem[];
  columns: Columns;
}

/** Turns rows of a CSV into JSON. A cell that is not like most of its column is a problem, unless another kind is chosen. */
export function readCsv(rows: WrittenRow[], { columns: pointers, delimiter }: CsvLayout, chosen: Kinds): Csv {
  const records: (Cells & { row: number })[] = [];
  const problems: Problem[] = [];
  for (const { row, text } of rows) {
    const record = readCells(text, pointers.length, delimiter);
    if (!record.ok) problems.push({ row, message: record.message });
    else records.push({ ...record, row });
  }
  const columns: Record<string, CsvColumn> = {};
  for (const [at, pointer] of pointers.entries()) {
    const cells = records.map((record) => record.cells[at] ?? '');
    if (pointer !== null) columns[pointer] = columnOf(cells, chosen[pointer]);
  }
  const fits = pointers.map((pointer) => fitter(kindOf(columns[pointer ?? '']?.kind) ?? text));
  const toJson = createRowJson(schemaOf(pointers, columns), pointers, 'escape');
  const made: WrittenRow[] = [];
  for (const { row, cells, quoted } of records) {
    const odd = cells.findIndex((cell, at) => !fits[at]?.(cell));
    if (odd >= 0) {
      const { kind } = columns[pointers[odd] as string] as CsvColumn;
      problems.push({
        row,
        message: `${pointers[odd]}: ${JSON.stringify(cells[odd]?.slice(0, 40))} is not of type ${kind}, as most of this column are.`,
      });
      continue;
    }
    try {
      made.push({ row, text: toJson(cells, quoted) });
    } catch (error) {
      if (!(error instanceof RowProblem)) throw error;
      problems.push({ row, message: error.message });
    }
  }
  return { rows: made, problems, columns };
}
