import type { TableShape } from '@sluice/jobs/record/export-record.ts';
import { maxColumns } from '@sluice/schemas/fields/schema-fields.ts';
import type { Column } from '@sluice/tables/columns.ts';

/** Each is one more reading of the entries. */
export const maxTables = 100;
/** Of all names together, in characters. They are in the record of the job, which MongoDB bounds. */
const maxNames = 1_000_000;

/** What arrays take when they are taken apart. */
export interface Extent {
  columns: number;
  /** Characters of the names of these columns. */
  names: number;
  tables: number;
}
export type Measure = keyof Extent;

/** While the entries are looked at: more than there may be in the end, where a table may be without columns. */
export const atMost: Extent = { columns: maxColumns + maxTables, names: 4 * maxNames, tables: maxTables };

export const measures = ['columns', 'names', 'tables'] as const;

/** Of what the tables have too much; undefined where all is well. */
export function excessOf(tables: TableShape[]): Measure | undefined {
  const columns: Column[] = tables.flatMap((table) => table.columns);
  if (columns.filter(({ isRest }) => !isRest).length > maxColumns) return 'columns';
  const names = columns.reduce(
    (sum, { name, pointer = '' }) => sum + Math.max(name.length, pointer.length),
    0,
  );
  return names > maxNames ? 'names' : undefined;
}
