import { fromPointer, toPointer } from '../payloads/leaves.ts';
import { maxLeaves } from '../store/leaves.ts';

interface Node {
  leaf: boolean;
  below: Map<string, Node>;
}

/** The leaves that are columns already; finds those of a payload that are not. */
export interface LeafSet {
  size(): number;
  add(pointers: Iterable<string>): void;
  has(pointer: string): boolean;
  /** JSON Pointers, in the order of the payload, the first `mostUnknown` of them. */
  unknown(payload: Record<string, unknown>): string[];
}

/** So many are too many to be told apart already. */
const mostUnknown = maxLeaves + 1;

const emptyNode = (): Node => ({ leaf: false, below: new Map() });

/** A tree of keys: one look-up a key, no path is built for a leaf that is known. */
export function createLeafSet(): LeafSet {
  const root = emptyNode();
  let size = 0;

  function walk(
    node: Node | undefined,
    value: Record<string, unknown>,
    path: string[],
    found: string[],
  ): void {
    for (const key in value) {
      if (found.length >= mostUnknown) return;
      const child = value[key];
      const next = node?.below.get(key);
      if (isBranch(child)) {
        path.push(key);
        walk(next, child, path, found);
        path.pop();
      } else if (!next?.leaf) found.push(toPointer([...path, key]));
    }
  }

  return {
    size: () => size,
    has(pointer) {
      let node: Node | undefined = root;
      for (const key of fromPointer(pointer)) node = node?.below.get(key);
      return node?.leaf === true;
    },
    add(pointers) {
      for (const pointer of pointers) {
        let node = root;
        for (const key of fromPointer(pointer)) {
          const next = node.below.get(key) ?? emptyNode();
          node.below.set(key, next);
          node = next;
        }
        if (!node.leaf) size += 1;
        node.leaf = true;
      }
    },
    unknown(payload) {
      const found: string[] = [];
      walk(root, payload, [], found);
      return found;
    },
  };
}

function isBranch(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  for (const _ in value) return true;
  return false;
}
