import { type EntryPlace, entryId } from '@sluice/bson/entry.ts';
import { array, document, nil } from '@sluice/bson/types.ts';
import {
  documentEnd,
  emptySize,
  hasOnlyObjects,
  isEmpty,
  keyEnd,
  type Memory,
  valueEnd,
} from '@sluice/bson/values.ts';
import type { TableShape } from '@sluice/jobs/record/export-record.ts';
import { toPointer } from '@sluice/json/pointer.ts';
import type { Column } from '@sluice/tables/columns.ts';
import { addField, createRoot, type FieldNode, findChild } from './field-tree.ts';
import { UnknownField } from './format.ts';

export interface RowOptions {
  /** All fields of the application outside of arrays. */
  columns: Column[];
  /** Names of the selected columns; absent: all. */
  selected?: string[] | undefined;
  /** Arrays become JSON text, a column for each element, or, if they have only objects, a table. */
  arrays: 'json' | 'columns' | 'rows';
  /** The table of the entries, then the tables of elements. */
  tables: TableShape[];
  /** Index of the table to write. */
  wanted?: number;
}

interface TableNode extends FieldNode {
  /** Whether arrays here stay JSON text. */
  keepsArrays?: boolean;
  /** The table of the objects in the array here. */
  elements?: { root: TableNode; depth: number; isWanted: boolean };
}

/** Finds an entry's rows in a table. Calls `onRow` for each row, when its cells are in `types` and `values`. */
export function createFindRows(
  { columns, selected, arrays, tables, wanted = 0 }: RowOptions,
  onRow: (entry: EntryPlace) => void,
) {
  const root = createTree({ columns, selected, tables, wanted });
  const { path, columns: cells } = tables[wanted] as TableShape;
  const hasRestCell = cells.some(({ isRest }) => isRest);
  /** Index of the element in its array, after the indexes of the outer elements. */
  const indexes = path.map(() => 0);
  /** The type of each cell (0: none) and its position. The last slot takes values of other tables. */
  const types = new Uint8Array(cells.length + 1);
  const values = new Int32Array(cells.length + 1);
  let hasRest = false;
  let unknown: string[] = [];

  /** Whether a field without a column may be skipped. `within` is the outermost array around the field. */
  function isPassedOver(within: FieldNode | undefined): boolean {
    if (within) return within.column === 'hidden';
    if (!selected) hasRest = hasRestCell;
    return hasRest || selected !== undefined;
  }

  function collect(source: EntryPlace, start: number, parent: TableNode, within?: FieldNode): boolean {
    const { bytes } = source;
    const end = documentEnd(source, start);
    let before: TableNode | undefined;
    for (let at = start + 4; at < end; ) {
      const type = bytes[at] as number;
      const key = at + 1;
      const node: TableNode | undefined = findChild(parent, before, source, key);
      const value = node ? key + node.key.length : keyEnd(source, key) + 1;
      at = valueEnd(source, type, value);
      if (node) before = node;
      let isKnown: boolean;
      if (!node) isKnown = isPassedOver(within);
      else if (type === document && at - value > emptySize && !(within && node.keepsArrays))
        isKnown = (!node.wanted && !within && selected !== undefined) || collect(source, value, node, within);
      else isKnown = collectValue(source, type, value, node, within);
      if (isKnown) continue;
      if (!node) unknown = firstField(source, type, value);
      unknown.unshift(bytes.toString('utf8', key, value - 1));
      return false;
    }
    return true;
  }

  /** Takes any value except an object with members. */
  function collectValue(
    source: EntryPlace,
    type: number,
    at: number,
    node: TableNode,
    within?: FieldNode,
  ): boolean {
    if (!within && !node.column) return isPassedOver(within);
    // Null is an empty cell, also where only fields below have columns.
    if (type === nil) return true;
    if (type === array && arrays !== 'json' && !node.keepsArrays) {
      if (arrays === 'rows' && hasOnlyObjects(source, at)) return collectRows(source, at, node, within);
      if (arrays === 'columns' && !isEmpty(source, at)) return collect(source, at, node, within ?? node);
    }
    if (node.place < 0) return (within ?? node).column === 'hidden';
    types[node.place] = type;
    values[node.place] = at;
    return true;
  }

  function collectRows(
    source: EntryPlace,
    start: number,
    node: TableNode,
    within: FieldNode = node,
  ): boolean {
    if (!node.elements) return false;
    const { root, depth, isWanted } = node.elements;
    const end = documentEnd(source, start);
    for (let at = start + 4, index = 0; at < end; index++) {
      const value = keyEnd(source, at + 1) + 1;
      at = valueEnd(source, document, value);
      if (depth < indexes.length) indexes[depth] = index;
      if (isWanted) types.fill(0);
      if (!collect(source, value, root, within)) {
        unknown.unshift(String(index));
        return false;
      }
      if (isWanted) onRow(source);
    }
    return true;
  }

  return {
    root,
    indexes,
    types,
    values,
    /** Whether the entry has fields for the rest column. */
    hasRest: () => hasRest,
    /** Throws UnknownField if a field is in no table. Then the rows before do not count. */
    find(source: EntryPlace): void {
      types.fill(0);
      hasRest = false;
      unknown = [];
      // Every pass reads the whole entry, so that every pass finds the same unknown fields.
      if (!collect(source, source.payload, root)) throw new UnknownField(entryId(source), toPointer(unknown));
      if (wanted === 0) onRow(source);
    },
  };
}

/** The path to the first field in a value. */
function firstField(source: Memory, type: number, at: number): string[] {
  if (type !== document || isEmpty(source, at)) return [];
  const value = keyEnd(source, at + 5) + 1;
  const key = source.bytes.toString('utf8', at + 5, value - 1);
  return [key, ...firstField(source, source.bytes[at + 4] as number, value)];
}

/** The fields of entries, with their columns in the wanted table and the tables of their elements. */
function createTree({
  columns,
  selected,
  tables,
  wanted,
}: Omit<RowOptions, 'arrays'> & { wanted: number }): TableNode {
  const names = selected && new Set(selected);
  const elsewhere = (tables[wanted] as TableShape).columns.length;
  const roots = new Map<string, TableNode>();
  for (const [table, { path, columns }] of tables.entries()) {
    const root: TableNode = createRoot();
    roots.set(JSON.stringify(path), root);
    for (const [place, { pointer, isWhole }] of columns.entries())
      if (pointer !== undefined) {
        const node: TableNode = addField(root, pointer, table === wanted ? place : elsewhere);
        if (isWhole) node.keepsArrays = true;
      }
    if (path.length === 0) continue;
    const parent = roots.get(JSON.stringify(path.slice(0, -1))) as TableNode;
    const node: TableNode = addField(parent, path.at(-1) as string, -1);
    node.elements = { root, depth: path.length - 1, isWanted: table === wanted };
    node.column = 'shown';
  }
  const root = roots.get('[]') as TableNode;
  for (const { name, pointer } of columns)
    if (pointer !== undefined)
      addField(root, pointer, -1).column = !names || names.has(name) ? 'shown' : 'hidden';
  return root;
}
