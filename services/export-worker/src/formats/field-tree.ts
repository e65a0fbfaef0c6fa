import { keyEnd, type Memory } from '@sluice/bson/values.ts';
import { fromPointer } from '@sluice/json/pointer.ts';

/** A key in payloads, with the keys below it. */
export interface FieldNode {
  /** As in BSON, with the NUL at its end. */
  key: Buffer;
  /** Index of the field's column; -1: none. */
  place: number;
  /** Whether this field or one below it has a column. */
  wanted: boolean;
  /** For a column outside of arrays: whether the column is selected. */
  column: 'shown' | 'hidden' | undefined;
  /** Whether the column takes the whole value, also an object. */
  isWhole: boolean;
  /** By key, decoded as latin1. */
  children: Map<string, FieldNode>;
  /** The first key within this node and the next key after it, in the previous entry: a guess for this entry. */
  first: FieldNode | undefined;
  next: FieldNode | undefined;
}

export const createRoot = () => createNode(Buffer.alloc(0));

/** Adds a field whose value goes to the column at `place`. */
export function addField(root: FieldNode, pointer: string, place: number): FieldNode {
  let node = root;
  for (const key of fromPointer(pointer)) {
    node.wanted ||= place >= 0;
    node = childOf(node, key);
  }
  node.wanted ||= place >= 0;
  if (place >= 0) node.place = place;
  return node;
}

/** Finds the child of `parent` with the key at `keyAt`. `before` is the previous sibling in the entry. */
export function findChild(
  parent: FieldNode,
  before: FieldNode | undefined,
  source: Memory,
  keyAt: number,
): FieldNode | undefined {
  const expected = before ? before.next : parent.first;
  if (expected && isKey(source.bytes, keyAt, expected.key)) return expected;
  const found = parent.children.get(source.bytes.toString('latin1', keyAt, keyEnd(source, keyAt)));
  if (found && before) before.next = found;
  else if (found) parent.first = found;
  return found;
}

function isKey(bytes: Buffer, at: number, key: Buffer): boolean {
  for (let i = 0; i < key.length; i++) if (bytes[at + i] !== key[i]) return false;
  return true;
}

/** Returns the child with a key; creates it if needed. */
export function childOf(parent: FieldNode, key: string): FieldNode {
  const name = Buffer.from(key).toString('latin1');
  const known = parent.children.get(name);
  if (known) return known;
  const child = createNode(Buffer.from(`${key}\0`));
  parent.children.set(name, child);
  return child;
}

export function createNode(key: Buffer): FieldNode {
  return {
    key,
    place: -1,
    wanted: false,
    column: undefined,
    isWhole: false,
    children: new Map(),
    first: undefined,
    next: undefined,
  };
}
