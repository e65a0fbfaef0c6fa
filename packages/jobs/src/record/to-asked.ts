import { fromText, toFilterText } from '@sluice/store/entries/entry-filter.ts';
import type { ExportOptions } from './export-record.ts';

/** What an export was asked for, as the API takes it. */
export function toAsked({ from, to, filter, columnCount, meta }: ExportOptions) {
  const conditions = filter === undefined ? [] : fromText(filter);
  const members = conditions.filter((one) => 'path' in one);
  const key = conditions.find((one) => 'key' in one)?.key;
  return {
    ...(from && { from: from.toISOString() }),
    ...(to && { before: to.toISOString() }),
    ...(members.length > 0 && { filter: toFilterText(members) }),
    ...(key !== undefined && { key }),
    ...(meta && { meta }),
    ...(columnCount !== undefined && { column_count: columnCount }),
  };
}
