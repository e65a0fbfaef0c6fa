import type { Column } from '@sluice/shared/columns/columns.ts';
import { fromPointer } from '@sluice/shared/payloads/leaves.ts';
import { keyEnd, type Memory } from './bson-walk.ts';

/** A key in payloads, with the keys below it. */
export interface LeafNode {
  /** As in BSON, with the NUL that ends it. */
  key: Buffer;
  /** Where its leaf goes, or -1 for nowhere. */
  place: number;
  /** Whether something at or below it goes somewhere. */
  wanted: boolean;
  /** Whether all of its value goes there, whatever is in it. */
  isWhole: boolean;
  /** By their keys, as latin1 reads the bytes. */
  children: Map<string, LeafNode>;
  /** The keys that came first within it and next after it when it was met last: most likely they do again. */
  first: LeafNode | undefined;
  next: LeafNode | undefined;
}

/** The keys of all columns. `places` says where leaves go, by pointer. */
export function leafTree(columns: Column[], places: Map<string | undefined, number>): LeafNode {
  const root = createNode(Buffer.alloc(0));
  for (const { pointer, isWhole } of columns) {
    if (pointer === undefined) continue;
    const place = places.get(pointer) ?? -1;
    let node = root;
    for (const key of fromPointer(pointer)) {
      if (place >= 0) node.wanted = true;
      node = childOf(node, key);
    }
    node.place = place;
    node.isWhole = isWhole === true;
    if (place >= 0) node.wanted = true;
  }
  return root;
}

/** The node at a pointer below another, made where it is missing. */
export function nodeAt(root: LeafNode, pointer: string): LeafNode {
  return fromPointer(pointer).reduce(childOf, root);
}

/** The node of a key below another, after the sibling that was before it there. */
export function findChild(
  parent: LeafNode,
  before: LeafNode | undefined,
  source: Memory,
  keyAt: number,
): LeafNode | undefined {
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

/** The node of a key below another, made where it is missing. */
export function childOf(parent: LeafNode, key: string): LeafNode {
  const name = Buffer.from(key).toString('latin1');
  const known = parent.children.get(name);
  if (known) return known;
  const child = createNode(Buffer.from(`${key}\0`));
  parent.children.set(name, child);
  return child;
}

/** `key` as in BSON, with its NUL. */
export function createNode(key: Buffer): LeafNode {
  return {
    key,
    place: -1,
    wanted: false,
    isWhole: false,
    children: new Map(),
    first: undefined,
    next: undefined,
  };
}
