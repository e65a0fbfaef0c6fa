import { fromPointer } from '@sluice/json/pointer.ts';
import { keyEnd, type Memory } from './bson-walk.ts';

/** A key in payloads, with the keys below it. */
export interface FieldNode {
  /** As in BSON, with the NUL that ends it. */
  key: Buffer;
  /** Where its field goes, or -1 for nowhere. */
  place: number;
  /** Whether something at or below it goes somewhere. */
  wanted: boolean;
  /** Of a field that is a column outside of arrays: whether that was asked for. */
  column: 'shown' | 'hidden' | undefined;
  /** Whether all of its value goes there, whatever is in it. */
  isWhole: boolean;
  /** By their keys, as latin1 reads the bytes. */
  children: Map<string, FieldNode>;
  /** The keys that came first within it and next after it when it was met last: most likely they do again. */
  first: FieldNode | undefined;
  next: FieldNode | undefined;
}

export const createRoot = () => createNode(Buffer.alloc(0));

/** Adds a field below a root, of which the value goes to a place. */
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

/** The node of a key below another, after the sibling that was before it there. */
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

/** The node of a key below another, made where it is missing. */
export function childOf(parent: FieldNode, key: string): FieldNode {
  const name = Buffer.from(key).toString('latin1');
  const known = parent.children.get(name);
  if (known) return known;
  const child = createNode(Buffer.from(`${key}\0`));
  parent.children.set(name, child);
  return child;
}

/** `key` as in BSON, with its NUL. */
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
