import type { TableShape } from '@sluice/shared/store/job-records.ts';
import { linkColumns } from '../../shape/link-columns.ts';
import { type LeafNode, leafTree, nodeAt } from '../leaf-tree.ts';

const keyOf = (path: string[]) => JSON.stringify(path);

/** For each table the keys of its columns; and which table is for the elements of the array at a node. */
export function tableTrees(tables: TableShape[]) {
  const trees = tables.map(({ columns }) =>
    leafTree(columns, new Map(columns.map(({ pointer }, place) => [pointer, place]))),
  );
  const byPath = new Map(tables.map(({ path }, table) => [keyOf(path), trees[table] as LeafNode]));
  const tableAt = new Map<LeafNode, number>();
  for (const [table, { path }] of tables.entries()) {
    const parent = byPath.get(keyOf(path.slice(0, -1))) as LeafNode;
    if (path.length > 0) tableAt.set(nodeAt(parent, path.at(-1) as string), table);
  }
  return { trees, tableAt };
}

/** The file of each table, and its first row. */
export function tableHeaders(tables: TableShape[]): { file: string; header: string[] }[] {
  const names = new Map(tables.map(({ name, path }) => [keyOf(path), name]));
  return tables.map(({ name, path, columns }) => {
    const outer = path.slice(1).map((_, depth) => names.get(keyOf(path.slice(0, depth + 1))) as string);
    const [entry = '', ...indexes] = linkColumns(outer);
    const links = path.length > 0 ? [entry, ...indexes] : [entry];
    return { file: `${name}.csv`, header: [...links, ...columns.map((column) => column.name)] };
  });
}
