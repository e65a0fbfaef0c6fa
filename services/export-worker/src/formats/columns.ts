import type { Column } from '@sluice/tables/columns.ts';

/** Those that were asked for, in that order; all where none is. */
export function columnsNamed(columns: Column[], selected: string[] | undefined): Column[] {
  const byName = new Map(columns.map((column) => [column.name, column]));
  return selected?.map((name) => byName.get(name) as Column) ?? columns;
}

/** Whether it is the time of the entry. */
export const isTime = ({ pointer, meta, isRest }: Column) => pointer === undefined && !meta && !isRest;
