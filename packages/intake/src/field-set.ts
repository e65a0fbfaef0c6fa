import { fromPointer, toPointer } from '@sluice/json/pointer.ts';
import {
  largeNumbers,
  maxFieldCharacters,
  maxFieldLength,
  maxFields,
} from '@sluice/store/applications/fields.ts';

interface Node {
  isField: boolean;
  /** Absent for most fields: a map takes more memory than the rest of a node. */
  below: Map<string, Node> | undefined;
}

/** The fields that already are columns. It finds the other fields of a payload. */
export interface FieldSet {
  add(pointers: Iterable<string>): void;
  has(pointer: string): boolean;
  /** Pointers of the other fields, in the order of the payload. Can have `tooLong` and `largeNumbers` too. */
  unknown(payload: Record<string, unknown>): string[];
}

/** Stands for all fields whose pointers are too long to be recorded, as it is itself. */
export const tooLong = '/'.repeat(maxFieldLength + 1);

/** The fields of any number of payloads that are not columns yet. */
export interface FoundFields {
  pointers: Set<string>;
  characters: number;
}

export const noFields = (): FoundFields => ({ pointers: new Set(), characters: 0 });

/** Whether more fields were found than can be recorded, so that further ones make no difference. */
const isEnough = (count: number, characters: number) => count > maxFields || characters > maxFieldCharacters;

export function addFields(all: FoundFields, fields: string[]): void {
  for (const field of fields) {
    if (isEnough(all.pointers.size, all.characters)) return;
    if (all.pointers.has(field)) continue;
    all.pointers.add(field);
    all.characters += field.length;
  }
}

interface Search {
  found: string[];
  characters: number;
  hasTooLong: boolean;
  hasLarge: boolean;
  /** The keys of the current object. */
  path: string[];
}

const largest = Number.MAX_SAFE_INTEGER;

const emptyNode = (): Node => ({ isField: false, below: undefined });

/** A tree of keys: it takes one look-up for each key, and builds no path for a known field. */
export function createFieldSet(): FieldSet {
  const root = emptyNode();

  /** `length`: characters of the path, with a slash for each key. The pointer is at least as long. */
  function walk(
    node: Node | undefined,
    value: Record<string, unknown>,
    length: number,
    search: Search,
  ): void {
    const { found, path } = search;
    let above: string | undefined;
    for (const key in value) {
      if (isEnough(found.length, search.characters)) return;
      const child = value[key];
      const next = node?.below?.get(key);
      const reach = length + 1 + key.length;
      if (isBranch(child)) {
        path.push(key);
        walk(next, child, reach, search);
        path.pop();
        continue;
      }
      if (!search.hasLarge) search.hasLarge = isLarge(child);
      if (!next?.isField) {
        if (reach <= maxFieldLength) above ??= toPointer(path);
        const pointer = reach <= maxFieldLength ? above + toPointer([key]) : tooLong;
        if (pointer.length > maxFieldLength) search.hasTooLong = true;
        else {
          found.push(pointer);
          search.characters += pointer.length;
        }
      }
    }
  }

  return {
    has(pointer) {
      let node: Node | undefined = root;
      for (const key of fromPointer(pointer)) node = node?.below?.get(key);
      return node?.isField === true;
    },
    add(pointers) {
      for (const pointer of pointers) {
        let node = root;
        for (const key of fromPointer(pointer)) {
          node.below ??= new Map();
          const next = node.below.get(key) ?? emptyNode();
          node.below.set(key, next);
          node = next;
        }
        node.isField = true;
      }
    },
    unknown(payload) {
      // `root.isField` means that large numbers are already recorded.
      const search: Search = {
        found: [],
        characters: 0,
        hasTooLong: false,
        hasLarge: root.isField,
        path: [],
      };
      walk(root, payload, 0, search);
      if (search.hasTooLong) search.found.push(tooLong);
      if (search.hasLarge && !root.isField) search.found.push(largeNumbers);
      return search.found;
    },
  };
}

function isBranch(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  for (const _ in value) return true;
  return false;
}

/** Whether a value is or contains a number that not every type of column can hold exactly. */
function isLarge(value: unknown): boolean {
  if (typeof value === 'number') return value > largest || value < -largest;
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint';
  if (!Array.isArray(value)) return Object.values(value).some(isLarge);
  // Every upload passes here, so numbers are compared without function calls.
  for (let i = 0; i < value.length; i++) {
    const item: unknown = value[i];
    if (typeof item === 'number' ? item > largest || item < -largest : isLarge(item)) return true;
  }
  return false;
}
