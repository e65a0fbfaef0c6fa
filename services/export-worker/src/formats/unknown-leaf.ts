import { toPointer } from '@sluice/shared/payloads/leaves.ts';
import {
  document,
  documentEnd,
  type EntryPlace,
  emptySize,
  entryId,
  keyEnd,
  type Memory,
  valueEnd,
} from './bson-walk.ts';
import { findChild, type LeafNode } from './leaf-tree.ts';

/** A leaf that is no column: to leave it out would lose it silently. */
export class UnknownLeaf extends Error {
  readonly pointer: string;

  constructor(entry: string, pointer: string) {
    super(
      `entry ${entry} has ${pointer.slice(0, 200)}, which is not among the columns; begin the export anew`,
    );
    this.pointer = pointer;
  }
}

/** The error for an entry that has one. */
export function unknownLeaf(entry: EntryPlace, tree: LeafNode): UnknownLeaf {
  return new UnknownLeaf(entryId(entry), toPointer(findUnknown(entry, entry.payload, tree) ?? []));
}

/** The path of the first leaf that has no place below a node. */
function findUnknown(source: Memory, start: number, parent: LeafNode | undefined): string[] | undefined {
  const end = documentEnd(source, start);
  for (let at = start + 4; at < end; ) {
    const type = source.bytes[at] as number;
    const value = keyEnd(source, at + 1) + 1;
    const key = source.bytes.toString('utf8', at + 1, value - 1);
    const node = parent && findChild(parent, undefined, source, at + 1);
    const next = valueEnd(source, type, value);
    if (type === document && next - value > emptySize) {
      const below = findUnknown(source, value, node);
      if (below) return [key, ...below];
    } else if (!node || node.place < 0) return [key];
    at = next;
  }
  return undefined;
}
