import type { Column } from '@sluice/shared/columns/columns.ts';
import { array, document, documentEnd, emptySize, keyEnd, type Memory, nil, valueEnd } from './bson-walk.ts';
import { createFindCells, type FindCells, placesOf } from './find-cells.ts';
import { findChild, type LeafNode, leafTree, nodeAt } from './leaf-tree.ts';

interface Options {
  columns: Column[];
  shown: Column[];
  isAll: boolean;
  /** The columns of the row, in the place of those that are shown. */
  elements: Column[];
}

/** The same as `createFindCells` where arrays are descended, as objects with the keys 0, 1, 2 are. */
export function createFindElements({ columns, shown, isAll, elements }: Options): FindCells {
  // Leaves that were not asked for: as objects and as arrays, entries can have the same keys.
  const others = columns.filter(
    ({ pointer }) =>
      !isAll &&
      pointer !== undefined &&
      !shown.some((column) => column.pointer === pointer) &&
      elements.some((column) => column.pointer?.startsWith(`${pointer}/`)),
  );
  const looked = [...shown, ...others];
  const leaves = createFindCells({ columns, shown: looked, isAll });
  const { timePlace, restPlace, places } = placesOf(elements);
  const tree = leafTree(elements, places);
  const nodes = looked.map(({ pointer }) => (pointer === undefined ? undefined : nodeAt(tree, pointer)));
  const types = new Uint8Array(elements.length);
  const values = new Int32Array(elements.length);

  /** `isLoose`: what has no column is passed over. */
  function collect(source: Memory, node: LeafNode, type: number, start: number, isLoose: boolean): boolean {
    // An empty cell, which needs no column where there are some for what is below.
    if (type === nil) return true;
    const isFilled =
      (type === array || type === document) && source.view.getInt32(start, true) > emptySize && !node.isWhole;
    if (isFilled) return collectWithin(source, node, start, isLoose);
    if (node.place < 0) return isLoose;
    types[node.place] = type;
    values[node.place] = start;
    return true;
  }

  function collectWithin(source: Memory, parent: LeafNode, start: number, isLoose: boolean): boolean {
    const end = documentEnd(source, start);
    let before: LeafNode | undefined;
    for (let at = start + 4; at < end; ) {
      const type = source.bytes[at] as number;
      const value = keyEnd(source, at + 1) + 1;
      const node = findChild(parent, before, source, at + 1);
      if (!(node ? collect(source, node, type, value, isLoose) : isLoose)) return false;
      before = node ?? before;
      at = valueEnd(source, type, value);
    }
    return true;
  }

  return {
    tree: leaves.tree,
    types,
    values,
    timePlace,
    restPlace,
    hasRest: leaves.hasRest,
    find(source, payload) {
      types.fill(0);
      if (!leaves.find(source, payload)) return false;
      return nodes.every((node, place) => {
        const type = leaves.types[place] as number;
        return (
          !node ||
          type === 0 ||
          collect(source, node, type, leaves.values[place] as number, place >= shown.length)
        );
      });
    },
  };
}
