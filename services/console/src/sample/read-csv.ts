import { fromPointer } from '@sluice/json/pointer.ts';
import { numbers, types } from '@sluice/schemas/fields/value-types.ts';
import { createCellJson } from '@sluice/tables/csv/cell-json.ts';
import type { CsvLayout } from '@sluice/tables/csv/header.ts';
import { type CsvRecord, readRecord } from '@sluice/tables/csv/record.ts';
import { createRowJson, RowProblem } from '@sluice/tables/csv/row.ts';
import { words } from '../words/en.ts';
import type { Problem, WrittenRow } from './split-rows.ts';

type Cells = Extract<CsvRecord, { ok: true }>;

/** The types of a column besides text; `bits` for the reader of cells. */
const kinds = [
  { type: ['number'], bits: numbers },
  { type: ['boolean'], bits: types.boolean },
  { type: ['array', 'object', 'null'], bits: types.array | types.object | types.null },
];

function typesOf(cells: string[]): string[] {
  const found = kinds.find(({ bits }) => {
    const toJson = createCellJson(bits, 'escape');
    // A cell that fits no type becomes a string.
    return cells.every((cell) => !toJson(cell, true)?.startsWith('"'));
  });
  return found?.type ?? ['string'];
}

interface Schema extends Record<string, unknown> {
  type?: string[];
  properties: Record<string, Schema>;
}

/** The schema that these cells would be imported with. */
function schemaOf(columns: (string | null)[], records: Cells[]): Schema {
  const root: Schema = { properties: {} };
  for (const [at, pointer] of columns.entries()) {
    let here = root;
    for (const key of fromPointer(pointer ?? '')) {
      if (!Object.hasOwn(here.properties, key)) here.properties[key] = { properties: {} };
      here = here.properties[key] as Schema;
    }
    if (pointer !== null) here.type = typesOf(records.map(({ cells }) => cells[at] ?? ''));
  }
  return root;
}

/** Turns rows of a CSV into the JSON that an import would store. */
export function readCsv(
  rows: WrittenRow[],
  { columns, delimiter }: CsvLayout,
): { rows: WrittenRow[]; problems: Problem[] } {
  const records: (Cells & { row: number })[] = [];
  const problems: Problem[] = [];
  for (const { row, text } of rows) {
    const record = readRecord(text, delimiter);
    const isRagged = record.ok && record.cells.length !== columns.length;
    if (!record.ok) problems.push({ row, message: record.message });
    else if (isRagged)
      problems.push({ row, message: words.sample.cells(record.cells.length, columns.length) });
    else records.push({ ...record, row });
  }
  const toJson = createRowJson(schemaOf(columns, records), columns, 'escape');
  const made: WrittenRow[] = [];
  for (const { row, cells, quoted } of records) {
    try {
      made.push({ row, text: toJson(cells, quoted) });
    } catch (error) {
      if (!(error instanceof RowProblem)) throw error;
      problems.push({ row, message: error.message });
    }
  }
  return { rows: made, problems };
}
