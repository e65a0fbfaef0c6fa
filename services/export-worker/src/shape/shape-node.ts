import type { Memory } from '@sluice/bson/values.ts';
import type { TableShape } from '@sluice/jobs/record/export-record.ts';
import { maxColumns } from '@sluice/schemas/fields/schema-fields.ts';
import type { Column } from '@sluice/tables/columns.ts';
import { createNode, type FieldNode, findChild } from '../formats/field-tree.ts';

/** A position in payloads, and the shape of the values there. The children are members of objects. */
export interface ShapeNode extends FieldNode {
  /** Whether some value needs its own cell: it is neither null nor covered by inner nodes. */
  cell: boolean;
  /** With `arrays=columns`: the elements of arrays. */
  elements: ShapeNode[];
  /** With `arrays=rows`: the objects in arrays of objects. */
  rows: ShapeNode | undefined;
  /** Length of the path in characters. */
  reach: number;
}

/** A column, and the shape of its values. */
export interface Surveyed {
  column: Column;
  node: ShapeNode;
}

export const membersOf = (node: ShapeNode) => node.children.values() as Iterable<ShapeNode>;
export const keyOf = ({ key }: ShapeNode) => key.toString('utf8', 0, key.length - 1);
/** Whether the node has no inner nodes. */
export const isLast = (node: ShapeNode) =>
  node.children.size === 0 && node.elements.length === 0 && node.rows === undefined;

/** A node would exceed a limit. */
export class TooMuch extends Error {
  readonly measure: Measure;
  constructor(measure: Measure) {
    super(`too many ${measure}`);
    this.measure = measure;
  }
}

/** Creates the nodes of a shape that begins with `columns` columns. Throws `TooMuch` beyond a limit. */
export function createShapeNodes(columns: number) {
  const all: Extent = { columns, names: 0, tables: 0 };

  function create(key: Buffer, reach: number): ShapeNode {
    return { ...createNode(key), cell: false, elements: [], rows: undefined, reach };
  }

  function take(more: Extent): void {
    for (const measure of measures)
      if (all[measure] + more[measure] > atMost[measure]) throw new TooMuch(measure);
    for (const measure of measures) all[measure] += more[measure];
  }

  function grow(parent: ShapeNode, key: Buffer, tables = 0): ShapeNode {
    const reach = parent.reach + key.length;
    // The first inner node replaces its parent as a column.
    take({ columns: isLast(parent) ? 0 : 1, names: reach, tables });
    return create(key, reach);
  }

  return {
    root: (reach: number) => create(Buffer.alloc(0), reach),

    /** Removes all inner nodes of a root: its values become whole. */
    empty(root: ShapeNode): void {
      for (const measure of measures) all[measure] -= extentOf(root, measure);
      Object.assign(root, create(root.key, root.reach), { cell: true, isWhole: true });
    },

    /** `before` is the previous sibling in the entry. */
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
      parent.rows = grow(parent, Buffer.alloc(0), 1);
      return parent.rows;
    },
  };
}

/** The extent of all inner nodes. */
export function extentOf(node: ShapeNode, measure: Measure): number {
  const { elements, rows } = node;
  const below = [...membersOf(node), ...elements, ...(rows ? [rows] : [])];
  const own = {
    columns: Math.max(below.length - 1, 0),
    names: below.reduce((sum, { reach }) => sum + reach, 0),
    tables: rows ? 1 : 0,
  };
  return below.reduce((sum, child) => sum + extentOf(child, measure), own[measure]);
}

/** Each table reads the entries once more. */
const maxTables = 100;
/** Characters of all names: the job's record has them, and MongoDB limits its size. */
const maxNames = 1_000_000;

/** The size of a shape. */
interface Extent {
  columns: number;
  /** Characters of the names of columns. */
  names: number;
  tables: number;
}
export type Measure = keyof Extent;

/** Limits during the survey. The final limits are lower, since a table may have no columns. */
const atMost: Extent = { columns: maxColumns + maxTables, names: 4 * maxNames, tables: maxTables };

const measures = ['columns', 'names', 'tables'] as const;

/** The exceeded limit, if any. */
export function excessOf(tables: TableShape[]): Measure | undefined {
  const columns: Column[] = tables.flatMap((table) => table.columns);
  if (columns.filter(({ isRest }) => !isRest).length > maxColumns) return 'columns';
  const names = columns.reduce(
    (sum, { name, pointer = '' }) => sum + Math.max(name.length, pointer.length),
    0,
  );
  return names > maxNames ? 'names' : undefined;
}
