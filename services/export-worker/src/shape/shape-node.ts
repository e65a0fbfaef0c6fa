import type { TableShape } from '@sluice/jobs/record/export-record.ts';
import { maxColumns } from '@sluice/schemas/fields/schema-fields.ts';
import type { Column } from '@sluice/tables/columns.ts';
import type { Memory } from '../formats/bson-walk.ts';
import { createNode, type FieldNode, findChild } from '../formats/field-tree.ts';

/** A place in payloads, and what the entries have there. Its children are the members of objects. */
export interface ShapeNode extends FieldNode {
  /** Whether some value there takes a cell of its own: it is neither null nor told by what is below. */
  cell: boolean;
  /** Where arrays have a column for each element. */
  elements: ShapeNode[];
  /** The objects in arrays of objects, where those are tables. */
  rows: ShapeNode | undefined;
  /** Characters of the keys down to here. */
  reach: number;
}

/** A column, and what the entries have there. */
export interface Surveyed {
  column: Column;
  node: ShapeNode;
}

export const membersOf = (node: ShapeNode) => node.children.values() as Iterable<ShapeNode>;
export const keyOf = ({ key }: ShapeNode) => key.toString('utf8', 0, key.length - 1);
/** Whether nothing is known of what is below. */
export const isLast = (node: ShapeNode) =>
  node.children.size === 0 && node.elements.length === 0 && node.rows === undefined;

/** There is no room for a node. */
export class TooMuch extends Error {
  readonly measure: Measure;
  constructor(measure: Measure) {
    super(`too many ${measure}`);
    this.measure = measure;
  }
}

/** Makes the nodes of a shape, of which `columns` are there beforehand, up to a bound: throws `TooMuch` beyond. */
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
    // The first one below a node takes its place as a column.
    take({ columns: isLast(parent) ? 0 : 1, names: reach, tables });
    return create(key, reach);
  }

  return {
    root: (reach: number) => create(Buffer.alloc(0), reach),

    /** Makes room: nothing is below a root any more, and its values are whole. */
    empty(root: ShapeNode): void {
      for (const measure of measures) all[measure] -= extentOf(root, measure);
      Object.assign(root, create(root.key, root.reach), { cell: true, isWhole: true });
    },

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
      parent.rows = grow(parent, Buffer.alloc(0), 1);
      return parent.rows;
    },
  };
}

/** What all below a node takes. */
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

/** Each is one more reading of the entries. */
const maxTables = 100;
/** Of all names together, in characters. They are in the record of the job, which MongoDB bounds. */
const maxNames = 1_000_000;

/** What arrays take when they are taken apart. */
interface Extent {
  columns: number;
  /** Characters of the names of these columns. */
  names: number;
  tables: number;
}
export type Measure = keyof Extent;

/** While the entries are looked at: more than there may be in the end, where a table may be without columns. */
const atMost: Extent = { columns: maxColumns + maxTables, names: 4 * maxNames, tables: maxTables };

const measures = ['columns', 'names', 'tables'] as const;

/** Of what the tables have too much; undefined where all is well. */
export function excessOf(tables: TableShape[]): Measure | undefined {
  const columns: Column[] = tables.flatMap((table) => table.columns);
  if (columns.filter(({ isRest }) => !isRest).length > maxColumns) return 'columns';
  const names = columns.reduce(
    (sum, { name, pointer = '' }) => sum + Math.max(name.length, pointer.length),
    0,
  );
  return names > maxNames ? 'names' : undefined;
}
