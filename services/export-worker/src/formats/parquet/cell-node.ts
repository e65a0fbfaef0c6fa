import type { FieldNode } from '../field-tree.ts';

export interface Cell {
  /** Among the columns of the file. */
  place: number;
  value: unknown;
}

/** Gives what the library takes for a value that is not null. */
export type Read = (type: number, at: number) => unknown;

/** A key in payloads. */
export interface CellNode extends FieldNode {
  /** Of the field in its struct. */
  name?: string;
  read?: Read;
  /** Of a column of its own that is not in the tree: what is within an object has other ones. */
  readOther?: Read;
}
