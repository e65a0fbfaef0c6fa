import type { TableShape } from '@sluice/jobs/record/export-record.ts';

/** In every table: the id of the entry. */
export const entryColumn = 'entry';

/** What leads from an element to what it is within: its entry, the indexes of the outer elements, and its own. */
export function linkColumns(outer: string[]): string[] {
  return [entryColumn, ...outer.map((table) => `${table}.index`), 'index'];
}

/** The file of each table, and its first row. */
export function tableHeaders(tables: TableShape[]): { file: string; header: string[] }[] {
  const names = new Map(tables.map(({ name, path }) => [JSON.stringify(path), name]));
  return tables.map(({ name, path, columns }) => {
    const outer = path
      .slice(1)
      .map((_, depth) => names.get(JSON.stringify(path.slice(0, depth + 1))) as string);
    const links = path.length > 0 ? linkColumns(outer) : [entryColumn];
    return { file: `${name}.csv`, header: [...links, ...columns.map((column) => column.name)] };
  });
}
