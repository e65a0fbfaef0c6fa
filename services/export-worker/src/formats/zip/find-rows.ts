import type { Column } from '@sluice/shared/columns/columns.ts';
import type { TableShape } from '@sluice/shared/store/job-records.ts';
import {
  array,
  document,
  documentEnd,
  emptySize,
  hasOnlyObjects,
  keyEnd,
  type Memory,
  nil,
  valueEnd,
} from '../bson-walk.ts';
import { createFindCells } from '../find-cells.ts';
import { findChild, type LeafNode, nodeAt } from '../leaf-tree.ts';
import { tableTrees } from './table-trees.ts';

/** Finds the rows that an entry has in one of the tables; `onRow` hears of each when its cells are found. */
export function createFindRows(tables: TableShape[], wanted: number, onRow: () => void) {
  const { trees, tableAt } = tableTrees(tables);
  const { path, columns } = tables[wanted] as TableShape;
  const leaves = leavesOf(tables);
  const cells = createFindCells({ columns: leaves, shown: leaves, isAll: true });
  const entryNodes = leaves.map(({ pointer }) => pointer && nodeAt(trees[0] as LeafNode, pointer));
  /** Of the element in its array, behind those of the elements that it is within. */
  const indexes = path.map(() => 0);
  /** For each column the type of its value, or 0, and where that is. */
  const types = new Uint8Array(columns.length);
  const values = new Int32Array(columns.length);

  function collect(source: Memory, start: number, parent: LeafNode, table: number): boolean {
    const { bytes } = source;
    const end = documentEnd(source, start);
    let before: LeafNode | undefined;
    for (let at = start + 4; at < end; ) {
      const type = bytes[at] as number;
      const node = findChild(parent, before, source, at + 1);
      if (!node) return false;
      const value = at + 1 + node.key.length;
      at = valueEnd(source, type, value);
      before = node;
      if (type === document && at - value > emptySize) {
        if (!collect(source, value, node, table)) return false;
      } else if (!collectLeaf(source, node, type, value, table)) return false;
    }
    return true;
  }

  function collectLeaf(source: Memory, node: LeafNode, type: number, value: number, table: number): boolean {
    if (type === nil) return true;
    if (type === array && !node.isWhole && hasOnlyObjects(source, value))
      return collectRows(source, value, tableAt.get(node));
    if (node.place < 0) return false;
    if (table === wanted) {
      types[node.place] = type;
      values[node.place] = value;
    }
    return true;
  }

  function collectRows(source: Memory, start: number, table: number | undefined): boolean {
    if (table === undefined) return false;
    const elements = trees[table] as LeafNode;
    const depth = (tables[table] as TableShape).path.length - 1;
    const end = documentEnd(source, start);
    for (let at = start + 4, index = 0; at < end; index++) {
      const value = keyEnd(source, at + 1) + 1;
      at = valueEnd(source, document, value);
      if (depth < indexes.length) indexes[depth] = index;
      if (!collectRow(source, value, elements, table)) return false;
    }
    return true;
  }

  function collectRow(source: Memory, start: number, parent: LeafNode, table: number): boolean {
    if (table === wanted) types.fill(0);
    if (!collect(source, start, parent, table)) return false;
    if (table === wanted) onRow();
    return true;
  }

  // All of the entry is looked at, so that each reading finds the same ones unknown.
  function collectEntry(source: Memory): boolean {
    if (wanted === 0) types.fill(0);
    return entryNodes.every((node, place) => {
      const type = cells.types[place] as number;
      return !node || type === 0 || collectLeaf(source, node, type, cells.values[place] as number, 0);
    });
  }

  return {
    tree: cells.tree,
    /** Whether the entry has leaves that have no column. */
    hasRest: cells.hasRest,
    indexes,
    types,
    values,
    /** False where the entry has something that is in no table; then its rows so far do not count either. */
    find(source: Memory, payload: number): boolean {
      if (!cells.find(source, payload) || !collectEntry(source)) return false;
      if (wanted === 0) onRow();
      return true;
    },
  };
}

/** Those of entries: what has a column there, or a table, or both. */
function leavesOf([entries, ...others]: TableShape[]): Column[] {
  const columns = (entries as TableShape).columns;
  const known = new Set(columns.map(({ pointer }) => pointer));
  const outer = others.flatMap(({ path, name }) =>
    path.length === 1 ? [{ name, pointer: path[0] as string }] : [],
  );
  return [...columns, ...outer.filter(({ pointer }) => !known.has(pointer))];
}
