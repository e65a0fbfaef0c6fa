import { toPointer } from '@sluice/shared/payloads/leaves.ts';
import { isObject } from '@sluice/shared/schemas/is-object.ts';
import type { StoredEntry } from '@sluice/shared/store/entries.ts';
import { UnknownLeaf } from '../unknown-leaf.ts';
import type { FileColumns } from './file-columns.ts';
import { leafPlaces, type Place } from './leaf-places.ts';
import type { Leaf, Node, Struct } from './nodes.ts';
import { Unrepresentable } from './unrepresentable.ts';

export interface Cell {
  /** Among the columns of the file. */
  place: number;
  value: unknown;
}

type Members = Record<string, unknown>;

const int64End = 2 ** 63;

const isNested = (value: unknown): value is Members => isObject(value) && Object.keys(value).length > 0;

/**
 * How an entry becomes cells, as the library takes them: structs by the names of their fields, JSON as text.
 * A leaf without a place is an error where `all` are wanted and there is no column for the rest.
 */
export function createReadCells({ time, tree, others, rest }: FileColumns, all: boolean) {
  const first = time === undefined ? 0 : 1;
  const places = new Map([...tree.fields.keys()].map((key, index) => [key, first + index]));
  const byPath = leafPlaces(others, first + tree.fields.size);
  /** Of the value that is being read; left as it is by an error. */
  const path: string[] = [];
  let entry = '';
  let cells: Cell[] = [];
  /** The leaves without a column, nested as they are. */
  let remainder: Members | undefined;

  function refuse(reason: string): never {
    throw new Unrepresentable(entry, path, reason);
  }

  /** A value that has no field, outside of arrays: its leaves go to columns of their own. */
  function spread(value: unknown, place: Place | undefined): void {
    if (!place && !all) return;
    if (isNested(value)) {
      for (const key of Object.keys(value)) {
        path.push(key);
        spread(value[key], place?.below.get(key));
        path.pop();
      }
    } else if (place?.column !== undefined) {
      if (value !== null) cells.push({ place: place.column, value: JSON.stringify(value) });
    } else if (rest !== undefined) remain(value);
    else if (all) throw new UnknownLeaf(entry, toPointer(path));
  }

  function remain(value: unknown): void {
    remainder ??= Object.create(null) as Members;
    let members = remainder;
    for (const key of path.slice(0, -1)) {
      members[key] ??= Object.create(null);
      members = members[key] as Members;
    }
    members[path.at(-1) as string] = value;
  }

  function leaf({ kind, leafOnly }: Leaf, value: unknown): unknown {
    if (kind === 'json') {
      if (!leafOnly || !isNested(value)) return JSON.stringify(value);
      spread(value, byPath(path));
      return null;
    }
    if (kind !== 'integer') return typeof value === kind ? value : refuse(`something other than a ${kind}`);
    if (!Number.isInteger(value)) return refuse('something other than an integer');
    const integer = value as number;
    return integer >= -int64End && integer < int64End
      ? BigInt(integer)
      : refuse('an integer of more than 64 bits');
  }

  function struct({ fields, extra }: Struct, members: Members, inArray: boolean): Members {
    const values: Members = {};
    // The library must find each of them here, and nothing that an object inherits.
    for (const { name } of fields.values()) values[name] = null;
    let rest: Members | undefined;
    for (const key of Object.keys(members)) {
      const field = fields.get(key);
      path.push(key);
      if (field) values[field.name] = typed(field.node, members[key], inArray);
      else if (!inArray) spread(members[key], byPath(path));
      else if (extra === undefined) refuse('a member that the schema forbids');
      else {
        rest ??= {};
        rest[key] = members[key];
      }
      path.pop();
    }
    if (extra !== undefined) values[extra] = rest ? JSON.stringify(rest) : null;
    return values;
  }

  function typed(node: Node, value: unknown, inArray: boolean): unknown {
    if (value === null) return null;
    if (node.kind === 'struct') {
      return isObject(value) ? struct(node, value, inArray) : refuse('something other than an object');
    }
    if (node.kind !== 'list') return leaf(node, value);
    if (!Array.isArray(value)) return refuse('something other than an array');
    return value.map((item, index) => {
      path.push(String(index));
      const cell = typed(node.item, item, true);
      path.pop();
      return cell;
    });
  }

  return function readCells({ id, createdAt, payload }: StoredEntry): Cell[] {
    entry = id;
    path.length = 0;
    cells = first === 0 ? [] : [{ place: 0, value: BigInt(createdAt.getTime()) }];
    remainder = undefined;
    for (const key of Object.keys(payload)) {
      const field = tree.fields.get(key);
      path.push(key);
      if (field) {
        const value = typed(field.node, payload[key], false);
        cells.push({ place: places.get(key) as number, value });
      } else spread(payload[key], byPath(path));
      path.pop();
    }
    if (remainder)
      cells.push({ place: first + tree.fields.size + others.length, value: JSON.stringify(remainder) });
    return cells;
  };
}
