import { maxColumns } from '@sluice/shared/columns/schema-leaves.ts';
import type { Memory } from '../formats/bson-walk.ts';
import { createNode, findChild, type LeafNode } from '../formats/leaf-tree.ts';
import { maxTables, refuseNames, refuseTables, refuseWidth } from './limits.ts';

/** A place in payloads, and what the entries have there. Its children are the members of objects. */
export interface ShapeNode extends LeafNode {
  /** Whether some value there takes a cell of its own: it is neither null nor told by what is below. */
  cell: boolean;
  /** Where arrays have a column for each element. */
  elements: ShapeNode[];
  /** The objects in arrays of objects, where those are tables. */
  rows: ShapeNode | undefined;
}

export const membersOf = (node: ShapeNode) => node.children.values() as Iterable<ShapeNode>;
export const keyOf = ({ key }: ShapeNode) => key.toString('utf8', 0, key.length - 1);
/** Whether nothing is known of what is below. */
export const isLast = (node: ShapeNode) =>
  node.children.size === 0 && node.elements.length === 0 && node.rows === undefined;

const maxKeyBytes = 4 * 1024 ** 2;

export type ShapeNodes = ReturnType<typeof createShapeNodes>;

/** Makes the nodes of a shape, of which `columns` are there beforehand, up to a bound: throws `Unexportable` beyond. */
export function createShapeNodes(columns: number) {
  let [width, keyBytes, tables] = [columns, 0, 0];

  function create(key: Buffer): ShapeNode {
    return { ...createNode(key), cell: false, elements: [], rows: undefined };
  }

  /** The first one below a node takes its place as a column. */
  function grow(parent: ShapeNode, key: Buffer): ShapeNode {
    if (!isLast(parent)) width += 1;
    keyBytes += key.length;
    // A table may be without columns.
    if (width > maxColumns + maxTables) throw refuseWidth();
    if (keyBytes > maxKeyBytes) throw refuseNames();
    return create(key);
  }

  return {
    root: () => create(Buffer.alloc(0)),

    /** After the sibling that was before it. */
    member(
      parent: ShapeNode,
      before: ShapeNode | undefined,
      source: Memory,
      keyAt: number,
      end: number,
    ): ShapeNode {
      const found = findChild(parent, before, source, keyAt);
      if (found) return found as ShapeNode;
      const node = grow(parent, Buffer.from(source.bytes.subarray(keyAt, end + 1)));
      parent.children.set(source.bytes.toString('latin1', keyAt, end), node);
      return node;
    },

    element(parent: ShapeNode, index: number): ShapeNode {
      parent.elements[index] ??= grow(parent, Buffer.from(`${index}\0`));
      return parent.elements[index];
    },

    rows(parent: ShapeNode): ShapeNode {
      if (parent.rows) return parent.rows;
      tables += 1;
      if (tables > maxTables) throw refuseTables();
      parent.rows = grow(parent, Buffer.alloc(0));
      return parent.rows;
    },
  };
}
