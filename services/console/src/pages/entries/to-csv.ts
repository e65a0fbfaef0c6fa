import { stringify } from 'csv-stringify/browser/esm/sync';
import { toLine, valueAt } from '../../json/exact.ts';
import type { Entry } from './entries-query.ts';
import type { ListedField } from './fields.ts';

/** A CSV file of some entries with the columns of the table, and their ids. */
export function toCsv(entries: Entry[], fields: ListedField[]): Blob {
  const head = ['id', 'createdAt', ...fields.map(({ name }) => name)];
  const cell = (value: unknown) => (value === undefined || value === null ? '' : toLine(value));
  const rows = entries.map(({ id, createdAt, payload }) => [
    id,
    createdAt,
    ...fields.map(({ pointer }) => cell(valueAt(payload, pointer))),
  ]);
  return new Blob([stringify([head, ...rows], { record_delimiter: '\r\n' })], { type: 'text/csv' });
}
