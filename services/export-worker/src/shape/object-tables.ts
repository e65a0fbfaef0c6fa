import type { TableShape } from '@sluice/jobs/record/export-record.ts';
import { fromPointer, toPointer } from '@sluice/json/pointer.ts';
import type { Column } from '@sluice/tables/columns.ts';
import { createNames } from '@sluice/tables/columns.ts';
import { entryColumn, linkColumns } from '../formats/zip/table-headers.ts';
import { createFileNames } from './file-names.ts';
import { keyOf, membersOf, type ShapeNode, type Surveyed } from './shape-node.ts';

/**
 * The table of the entries, and one for each array of objects. A column that is an array of objects wherever it is there
 * and not null is left out: it would be empty.
 */
export function objectTables(surveyed: Surveyed[]): TableShape[] {
  const fileName = createFileNames();
  const hasCell = (node: ShapeNode) => node.cell || !node.rows;
  const columns = surveyed.flatMap(({ column, node }): Column[] => {
    const { name, pointer } = column;
    if (pointer === undefined) return [column];
    if (!hasCell(node)) return [];
    const named = { name: name === entryColumn ? pointer : name, pointer };
    return [node.isWhole ? { ...named, isWhole: true } : named];
  });
  const tables: TableShape[] = [{ name: fileName(['entries']), path: [], columns }];

  /** Of the elements of the array at a path; `outer` are the names of the tables that it is within. */
  function addTable(path: string[], rows: ShapeNode, outer: string[]): void {
    const name = fileName(path.flatMap(fromPointer));
    const nameOf = createNames(linkColumns(outer));
    const table: TableShape = { name, path, columns: [] };
    const nested: [pointer: string, rows: ShapeNode][] = [];

    function addMembers(parent: ShapeNode, above: string): void {
      for (const node of membersOf(parent)) {
        const pointer = above + toPointer([keyOf(node)]);
        const isLeaf = node.cell || (!node.rows && node.children.size === 0);
        if (isLeaf) table.columns.push({ name: nameOf(pointer), pointer });
        if (node.rows) nested.push([pointer, node.rows]);
        addMembers(node, pointer);
      }
    }

    tables.push(table);
    addMembers(rows, '');
    for (const [pointer, within] of nested) addTable([...path, pointer], within, [...outer, name]);
  }

  for (const { column, node } of surveyed)
    if (column.pointer !== undefined && node.rows) addTable([column.pointer], node.rows, []);
  return tables;
}
