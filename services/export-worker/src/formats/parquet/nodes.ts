import type { ReadScalar } from './read-scalar.ts';

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
