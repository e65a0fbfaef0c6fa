import type { Meta } from '@sluice/tables/columns.ts';
import type { Memory } from '../bson-walk.ts';

/** Gives the value that Parquet holds of a BSON value; undefined where it holds none that is printed the same. */
export type ReadScalar = (
  source: Memory,
  type: number,
  at: number,
) => string | boolean | number | bigint | undefined;

/** How a value is held: as a scalar of Parquet, or as JSON text. */
export type LeafKind = 'string' | 'integer' | 'number' | 'boolean' | 'date' | 'timestamp' | 'json';

/**
 * Whether there may be values that the type does not hold: `large` where only numbers beyond 2^53 are, `any` where
 * the schemas say nothing of some.
 */
export type Open = 'large' | 'any';

export interface Leaf {
  kind: LeafKind;
  open?: Open | undefined;
  /** JSON only: an object that is not empty does not count, its members have columns of their own or none. */
  leafOnly?: boolean | undefined;
  /** JSON only: that of an object has all of it; what the struct does not declare has columns of its own beside that. */
  declared?: Struct | undefined;
  /** Instead of what reads values of this kind. */
  read?: ReadScalar;
}

export interface List {
  kind: 'list';
  item: Node;
  open?: Open | undefined;
  /** Hears of what is no array, instead of an error. */
  onOther?: () => void;
}

export interface Struct {
  kind: 'struct';
  fields: Map<string, Field>;
  open?: Open | undefined;
  /** Within an array: the name of the field for members that no other field takes; absent where the schema forbids them, false where they are passed over. */
  extra?: string | false | undefined;
  /** Hears of what is no object, instead of an error. */
  onOther?: () => void;
}

export interface Field {
  name: string;
  node: Node;
}

export type Node = Leaf | List | Struct;

/** What is within a node, in an order of its own. */
export function within(node: Node): Node[] {
  if (node.kind === 'list') return [node.item];
  return node.kind === 'struct' ? Array.from(node.fields.values(), (field) => field.node) : [];
}

/** The open nodes of a tree, each before those within it. */
export function openNodes(node: Node): Node[] {
  return [...(node.open ? [node] : []), ...within(node).flatMap(openNodes)];
}

/** The columns of a file. */
export interface FileColumns {
  /** Name of the column of the time of the entry, where it is wanted. */
  time?: string | undefined;
  meta?: Meta[];
  /** The tree of the first version, down to what is wanted. */
  tree: Struct;
  /** Fields that have no place in the tree. */
  others: { name: string; path: string[]; node: Node }[];
  /** Name of the column of all fields that have none, where there is one. */
  rest?: string | undefined;
}
