import type { Column } from '@sluice/shared/columns/columns.ts';
import { document, documentEnd, emptySize, keyEnd, type Memory, valueEnd } from './bson-walk.ts';
import { findChild, type LeafNode, leafTree } from './leaf-tree.ts';

interface Options {
  /** All that there are. */
  columns: Column[];
  /** Those that have a cell, in its order. */
  shown: Column[];
  /** Whether a leaf without a column is one too many, where there is none for the rest; else it is passed over. */
  isAll: boolean;
}

export type FindCells = ReturnType<typeof createFindCells>;

/** Finds the values for the cells of a row. `types` has for each cell that of its value, or 0; `values` where that is. */
export function createFindCells({ columns, shown, isAll }: Options) {
  const { timePlace, restPlace, places } = placesOf(shown);
  const tree = leafTree(columns, places);
  const types = new Uint8Array(shown.length);
  const values = new Int32Array(shown.length);
  let hasRest = false;

  /** Of a leaf that has no column: whether it may have none, or the one for the rest takes it. */
  function isKept(): boolean {
    if (isAll) hasRest = restPlace >= 0;
    return !isAll || hasRest;
  }

  function collect(source: Memory, start: number, parent: LeafNode): boolean {
    const { bytes } = source;
    const end = documentEnd(source, start);
    let before: LeafNode | undefined;
    for (let at = start + 4; at < end; ) {
      const type = bytes[at] as number;
      const node = findChild(parent, before, source, at + 1);
      if (!node && !isKept()) return false;
      const value = node ? at + 1 + node.key.length : keyEnd(source, at + 1) + 1;
      at = valueEnd(source, type, value);
      if (!node) continue;
      before = node;
      if (type === document && at - value > emptySize) {
        if ((node.wanted || isAll) && !collect(source, value, node)) return false;
      } else if (node.place >= 0) {
        types[node.place] = type;
        values[node.place] = value;
      } else if (!isKept()) return false;
    }
    return true;
  }

  return {
    tree,
    types,
    values,
    timePlace,
    restPlace,
    /** Whether the payload has leaves for the rest. */
    hasRest: () => hasRest,
    /** False where a leaf has no column. */
    find(source: Memory, payload: number): boolean {
      types.fill(0);
      hasRest = false;
      return collect(source, payload, tree);
    },
  };
}

/** Where the cells of a row are: that of the time, that of the rest, or -1, and those of leaves by their pointers. */
export function placesOf(columns: Column[]) {
  return {
    timePlace: columns.findIndex(({ pointer, isRest }) => pointer === undefined && !isRest),
    restPlace: columns.findIndex(({ isRest }) => isRest),
    places: new Map(
      columns.flatMap(({ pointer }, place) => (pointer === undefined ? [] : [[pointer, place] as const])),
    ),
  };
}
