import type { Column } from '@sluice/tables/columns.ts';
import { takeBytes } from './byte-sink.ts';
import { columnsNamed } from './columns.ts';
import { createCsvRows } from './csv-rows.ts';
import type { FileFormat } from './format.ts';

interface Options {
  columns: Column[];
  /** Those that the file has, by name; absent: all. */
  selected?: string[] | undefined;
  /** What it has in their place where arrays have a column for each element. */
  elements?: Column[] | undefined;
  formulas: 'escape' | 'raw';
}

/** A row for each entry, a column for each field. */
export function createCsv({ columns, selected, elements, formulas }: Options): FileFormat {
  const cells = elements ?? columnsNamed(columns, selected);
  const header = cells.map(({ name }) => name);
  const rows = createCsvRows({
    columns,
    selected,
    arrays: elements ? 'columns' : 'json',
    tables: [{ name: 'entries', path: [], columns: cells }],
    header,
    formulas,
  });
  return {
    columns: header,
    passes: 1,
    open: rows.writeHeader,
    add: rows.add,
    close() {},
    size: () => rows.sink.length,
    take: () => ({ data: takeBytes(rows.sink) }),
  };
}
