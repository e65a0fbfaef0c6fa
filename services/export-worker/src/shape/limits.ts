import type { Column } from '@sluice/shared/columns/columns.ts';
import { maxColumns } from '@sluice/shared/columns/schema-leaves.ts';
import type { TableShape } from '@sluice/shared/store/job-records.ts';
import { Unexportable } from '../formats/unexportable.ts';

/** Each is one more reading of the entries. */
export const maxTables = 100;
/** Of all names together. They are in the record of the job, which MongoDB bounds. */
const maxNameLength = 1_000_000;

const ways = 'choose fewer with columns, or take arrays=json, which has one column for an array';

export const refuseWidth = () =>
  new Unexportable(
    `the entries have more than ${maxColumns} columns when their arrays are taken apart; ${ways}`,
  );
export const refuseNames = () =>
  new Unexportable(`the names of the columns are too long when arrays are taken apart; ${ways}`);
export const refuseTables = () =>
  new Unexportable(`the entries have arrays of objects in more than ${maxTables} places; take arrays=json`);

/** Throws where the tables have too many columns, or too long names. */
export function checkTables(tables: TableShape[]): void {
  const columns: Column[] = tables.flatMap((table) => table.columns);
  if (columns.length > maxColumns) throw refuseWidth();
  const length = columns.reduce(
    (sum, { name, pointer = '' }) => sum + Math.max(name.length, pointer.length),
    0,
  );
  if (length > maxNameLength) throw refuseNames();
}
