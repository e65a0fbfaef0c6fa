import { disarm } from '@sluice/tables/csv/cell-json.ts';
import { stringify } from 'csv-stringify/browser/esm/sync';
import { toLine, valueAt } from '../../json/exact.ts';
import type { Entry } from './entries-query.ts';
import type { ListedField } from './fields.ts';

function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? disarm(value) : toLine(value);
}

/** A CSV file of some entries with the columns of the table, and their ids. As in exports, formulas have a `'` before them. */
export function toCsv(entries: Entry[], fields: ListedField[]): Blob {
  const head = ['id', 'createdAt', ...fields.map(({ name }) => disarm(name))];
  const rows = entries.map(({ id, createdAt, payload }) => [
    id,
    createdAt,
    ...fields.map(({ pointer }) => cell(valueAt(payload, pointer))),
  ]);
  return new Blob([stringify([head, ...rows], { record_delimiter: '\r\n' })], { type: 'text/csv' });
}
