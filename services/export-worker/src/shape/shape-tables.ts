import type { TableShape } from '@sluice/jobs/record/export-record.ts';
import { fromPointer, toPointer } from '@sluice/json/pointer.ts';
import type { Column } from '@sluice/tables/columns.ts';
import { fieldName } from '@sluice/tables/columns.ts';
import { entryColumn, linkColumns } from '../formats/zip/tables-zip.ts';
import { isLast, keyOf, membersOf, type ShapeNode, type Surveyed } from './shape-node.ts';

/**
 * A column for each element, in place of the array's column. The array's column stays if some entry has another value there.
 * `base` are the columns with `arrays=json`; they keep their names.
 */
export function elementTable(surveyed: Surveyed[], base: Column[]): TableShape {
  const names = new Map(base.map(({ pointer, name }) => [pointer, name]));
  // An object's key may equal an element's index: both share a column.
  const columns = new Map<string | undefined, Column>();

  function add(pointer: string, node: ShapeNode): void {
    if (node.cell || isLast(node)) {
      const column = columns.get(pointer) ?? { name: names.get(pointer) ?? fieldName(pointer, []), pointer };
      columns.set(pointer, node.isWhole ? { ...column, isWhole: true } : column);
    }
    for (const [index, element] of node.elements.entries()) add(`${pointer}/${index}`, element);
    for (const member of membersOf(node)) add(pointer + toPointer([keyOf(member)]), member);
  }

  const others: Column[] = [];
  for (const { column, node } of surveyed) {
    if (column.pointer !== undefined) add(column.pointer, node);
    else if (column.isRest) others.push(column);
    else columns.set(column.meta, column);
  }
  return { name: 'entries', path: [], columns: [...columns.values(), ...others] };
}

/**
 * The table of the entries, and a table for each array of objects.
 * Leaves out a column that has only arrays of objects: it would be empty.
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

  /** Adds the table for the array at a path. `outer` are the names of the outer tables. */
  function addTable(path: string[], rows: ShapeNode, outer: string[]): void {
    const name = fileName(path.flatMap(fromPointer));
    const links = linkColumns(outer);
    const table: TableShape = { name, path, columns: [] };
    const nested: [pointer: string, rows: ShapeNode][] = [];

    function addMembers(parent: ShapeNode, above: string): void {
      for (const node of membersOf(parent)) {
        const pointer = above + toPointer([keyOf(node)]);
        const isLeaf = node.cell || (!node.rows && node.children.size === 0);
        if (isLeaf) table.columns.push({ name: fieldName(pointer, links), pointer });
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

const maxLength = 100;

/** Device names of Windows, with any extension. */
const device = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/**
 * Names the files of tables, without extension: keys joined by dots, with only letters, digits, `.`, `_` and `-`.
 * A name is not hidden, is no device of Windows, and is unique even if case does not count.
 */
export function createFileNames(): (keys: string[]) => string {
  const taken = new Set<string>();
  return (keys) => {
    const plain = keys
      .join('.')
      .replace(/[^A-Za-z0-9._-]/gu, '_')
      .replace(/^(?=\.|$)/, '_')
      .replace(device, '_$1')
      .slice(0, maxLength);
    let name = plain;
    for (let count = 2; taken.has(name.toLowerCase()); count++) {
      const suffix = `-${count}`;
      name = plain.slice(0, maxLength - suffix.length) + suffix;
    }
    taken.add(name.toLowerCase());
    return name;
  };
}
