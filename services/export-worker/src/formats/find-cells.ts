import type { Column } from '@sluice/shared/columns/columns.ts';
import { array, document, documentEnd, emptySize, keyEnd, type Memory, nil, valueEnd } from './bson-walk.ts';
import { findChild, type LeafNode, leafTree, nodeAt } from './leaf-tree.ts';

interface Options {
  /** All that there are; with `elementsOf` those that are shown. */
  columns: Column[];
  /** Those that have a cell, in its order. */
  shown: Column[];
  /** Whether a leaf without a column is one too many, where there is none for the rest; else it is passed over. */
  isAll: boolean;
  /**
   * Where arrays are descended, as objects with the keys 0, 1, 2 are: JSON Pointers of the leaves of which nothing is
   * passed over even so. Absent: an array is the value of a cell.
   */
  elementsOf?: string[] | undefined;
}

/** Finds the values for the cells of a row. `types` has for each cell that of its value, or 0; `values` where that is. */
export function createFindCells({ columns, shown, isAll, elementsOf }: Options) {
  const restPlace = shown.findIndex(({ isRest }) => isRest);
  const places = new Map(
    shown.flatMap(({ pointer, isRest }, place) => (isRest ? [] : [[pointer, place] as const])),
  );
  const tree = leafTree(columns, places);
  const wholes = new Set(elementsOf?.map((pointer) => nodeAt(tree, pointer)));
  const descends = elementsOf !== undefined;
  const types = new Uint8Array(shown.length);
  const values = new Int32Array(shown.length);
  let hasRest = false;

  /** Of a leaf that has no column: whether the one for the rest takes it. */
  function isKept(): boolean {
    hasRest = restPlace >= 0;
    return hasRest;
  }

  /** `isInside` below an array that was not asked for: a leaf that was is somewhere else, though its keys be the same. */
  function collect(
    source: Memory,
    start: number,
    parent: LeafNode,
    isWhole: boolean,
    isInside: boolean,
  ): boolean {
    const { bytes } = source;
    const end = documentEnd(source, start);
    let before: LeafNode | undefined;
    for (let at = start + 4; at < end; ) {
      const type = bytes[at] as number;
      const node = findChild(parent, before, source, at + 1);
      if (!node && isWhole && !isKept()) return false;
      const value = node ? at + 1 + node.key.length : keyEnd(source, at + 1) + 1;
      at = valueEnd(source, type, value);
      if (!node) continue;
      before = node;
      if (at - value > emptySize && (type === document || (type === array && descends))) {
        const below = isWhole || (type === array && !isInside && wholes.has(node));
        const inside = isInside || (type === array && !below);
        if (node.wanted && !collect(source, value, node, below, inside)) return false;
      } else if (node.place >= 0) {
        types[node.place] = type;
        values[node.place] = value;
      } else if (type === nil && descends) {
        // An empty cell, which needs no column where there are some for what is below.
      } else if ((isWhole || (!isInside && wholes.has(node))) && !isKept()) return false;
    }
    return true;
  }

  return {
    tree,
    types,
    values,
    timePlace: places.get(undefined),
    restPlace,
    /** Whether the payload has leaves for the rest. */
    hasRest: () => hasRest,
    /** False where a leaf has no column. */
    find(source: Memory, payload: number): boolean {
      types.fill(0);
      hasRest = false;
      return collect(source, payload, tree, isAll, false);
    },
  };
}
