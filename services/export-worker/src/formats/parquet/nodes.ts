import type { Memory } from '../bson-walk.ts';

/** Gives the value that Parquet holds of a BSON value; undefined where it holds none that is printed the same. */
export type ReadScalar = (
  source: Memory,
  type: number,
  at: number,
) => string | boolean | number | bigint | undefined;

/** How a value is held: as a scalar of Parquet, or as JSON text. */
export interface Leaf {
  kind: 'string' | 'integer' | 'number' | 'boolean' | 'json';
  /** A number of which the schema alone does not say that the type of its column holds all values. */
  isOpen?: true;
  /** JSON only: an object that is not empty does not count, its members have columns of their own or none. */
  leafOnly?: boolean;
  /** Instead of what reads values of this kind. */
  read?: ReadScalar;
}

export interface List {
  kind: 'list';
  item: Node;
}

export interface Struct {
  kind: 'struct';
  fields: Map<string, Field>;
  /** Within an array: the name of the field for members that no other field takes; absent where the schema forbids them, false where they are passed over. */
  extra?: string | false | undefined;
}

export interface Field {
  name: string;
  node: Node;
}

export type Node = Leaf | List | Struct;

/** The open numbers of a tree, in an order of their own. */
export function openNumbers(node: Node): Leaf[] {
  if (node.kind === 'list') return openNumbers(node.item);
  if (node.kind === 'struct') return [...node.fields.values()].flatMap((field) => openNumbers(field.node));
  return node.isOpen ? [node] : [];
}
