import type { Memory } from '@sluice/bson/values.ts';
import type { Meta } from '@sluice/tables/columns.ts';

/** Reads a BSON value other than a text for Parquet. Undefined if Parquet would print another value. */
export type ReadScalar = (source: Memory, type: number, at: number) => number | bigint | undefined;

/** A scalar type of Parquet, or JSON text. */
export type LeafKind = 'string' | 'integer' | 'number' | 'boolean' | 'date' | 'timestamp' | 'json';

/** Which values the type may not hold: `large` numbers beyond 2^53, or `any` value, since some schema allows others. */
export type Open = 'large' | 'any';

export interface Leaf {
  kind: LeafKind;
  open?: Open | undefined;
  /** JSON only: an object with members stays NULL; its members have their own columns or none. */
  leafOnly?: boolean | undefined;
  /** JSON only: the text has the whole object. Members that the struct does not declare also have columns. */
  declared?: Struct | undefined;
  /** JSON only: a string is there as it is, without quotes. */
  plain?: boolean | undefined;
  /** Replaces the reader for this kind. */
  read?: ReadScalar;
}

export interface List {
  kind: 'list';
  item: Node;
  open?: Open | undefined;
  /** Called for a value that is no array; absent: an error. */
  onOther?: () => void;
}

export interface Struct {
  kind: 'struct';
  fields: Map<string, StructField>;
  open?: Open | undefined;
  /** Within an array: the field for undeclared members. Absent: the schema forbids them; false: they are skipped. */
  extra?: string | false | undefined;
  /** Called for a value that is no object; absent: an error. */
  onOther?: () => void;
}

export interface StructField {
  name: string;
  node: Node;
}

export type Node = Leaf | List | Struct;

/** The direct inner nodes. */
export function within(node: Node): Node[] {
  if (node.kind === 'list') return [node.item];
  return node.kind === 'struct' ? Array.from(node.fields.values(), (field) => field.node) : [];
}

/** The open nodes of a tree; outer nodes come first. */
export function openNodes(node: Node): Node[] {
  return [...(node.open ? [node] : []), ...within(node).flatMap(openNodes)];
}

/** The columns of a file. */
export interface FileColumns {
  /** Name of the time column; absent: not selected. */
  time?: string | undefined;
  meta?: Meta[];
  /** The selected fields that the first version declares. */
  tree: Struct;
  /** Fields without a place in the tree. */
  others: { name: string; path: string[]; node: Node }[];
  /** Name of the column for all remaining fields, if there is one. */
  rest?: string | undefined;
  /** Name of the column for the whole payload, if there is one. */
  payload?: string | undefined;
}
