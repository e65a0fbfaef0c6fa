import { toPointer } from '@sluice/json/pointer.ts';
import {
  array,
  createEntryReader,
  document,
  documentEnd,
  type EntryPlace,
  eachMember,
  emptySize,
  entryId,
  entryTime,
  keyEnd,
  nil,
  valueEnd,
} from '../bson-walk.ts';
import { type ByteSink, clear, createByteSink } from '../byte-sink.ts';
import { versionOf } from '../entry-meta.ts';
import { childOf, createRoot, type FieldNode, findChild } from '../field-tree.ts';
import { UnknownField, Unrepresentable } from '../format.ts';
import { writeJson, writePruned } from '../write-json.ts';
import type { FileColumns, Leaf, List, Node, Open, Struct } from './nodes.ts';
import { readScalar } from './read-scalar.ts';
import type { Cell } from './row-groups.ts';

/** Converts a value that is not null for the library. */
type Read = (type: number, at: number) => unknown;

interface CellNode extends FieldNode {
  /** Name of the field in its struct. */
  name?: string;
  read?: Read;
  /** Reads a column outside of the tree. Members of an object there have their own columns. */
  readOther?: Read;
}

/**
 * Converts an entry to cells for the library: structs by field name, JSON as text.
 * With `all`, a field without a column is an error, unless there is a rest column.
 */
export function createReadCells({ time, meta = [], tree, others, rest }: FileColumns, all: boolean) {
  const first = (time === undefined ? 0 : 1) + meta.length;
  const openEntry = createEntryReader();
  const scratch = createByteSink(1_024);
  const root: CellNode = createRoot();
  let source: EntryPlace;
  let cells: Cell[] = [];
  let hasRest = false;
  /** Path of the current value: positions of keys, and indexes of items as -1 - index. An error leaves the path as it is. */
  const path: number[] = [];

  function addField(
    parent: CellNode,
    key: string,
    { name, node }: { name: string; node: Node },
    place: number,
    inArray: boolean,
  ): void {
    const child: CellNode = childOf(parent, key);
    child.place = place;
    child.column = 'shown';
    child.name = name;
    child.isWhole = inArray || (node.kind === 'json' && !node.leafOnly);
    child.read = readOf(node, child, inArray);
  }

  function readOf(node: Node, at: CellNode, inArray: boolean): Read {
    if (node.kind === 'list') return readList(node, readOf(node.item, createRoot(), true));
    if (node.kind === 'struct') return readStruct(node, at, inArray);
    return readLeaf(node, at);
  }

  function pointer(): string {
    const { bytes } = source;
    return toPointer(
      path.map((at) => (at < 0 ? String(-1 - at) : bytes.toString('utf8', at, keyEnd(source, at)))),
    );
  }

  function refuse(what: string, open?: Open): never {
    throw new Unrepresentable(entryId(source), pointer(), what, open !== undefined);
  }

  function text(write: (sink: ByteSink) => void): string {
    clear(scratch);
    write(scratch);
    return scratch.bytes.toString('utf8', 0, scratch.length);
  }

  const json: Read = (type, at) => text((sink) => writeJson(sink, source, type, at));
  const isNested = (type: number, at: number) =>
    type === document && source.view.getInt32(at, true) > emptySize;

  function readLeaf({ kind, leafOnly, declared, open, read: own }: Leaf, node: CellNode): Read {
    if (own) return (type, at) => own(source, type, at);
    if (kind !== 'json') {
      const read = readScalar[kind];
      const what = `something other than a ${kind === 'integer' ? '64-bit integer' : kind}`;
      return (type, at) => read(source, type, at) ?? refuse(what, open);
    }
    if (!leafOnly && !declared) return json;
    if (declared) passOver(declared, node);
    return (type, at) => {
      if (isNested(type, at)) readMembers(node, at, {});
      return leafOnly && isNested(type, at) ? null : json(type, at);
    };
  }

  /** For an object in one JSON cell: its declared fields have no cells. */
  function passOver({ fields }: Struct, parent: CellNode): void {
    for (const [key, { node }] of fields) {
      const child: CellNode = childOf(parent, key);
      const isHeld = node.kind === 'list' || (node.kind === 'json' && !node.leafOnly);
      if (node.kind === 'struct') passOver(node, child);
      child.read = (type, at) => {
        if (!isHeld && isNested(type, at)) readMembers(child, at, {});
        return null;
      };
    }
  }

  function readList({ open, onOther }: List, read: Read): Read {
    return (type, start) => {
      if (type !== array) return onOther ? onOther() : refuse('something other than an array', open);
      const values: unknown[] = [];
      eachMember(source, start, (type, value, _key, index) => {
        path.push(-1 - index);
        values.push(type === nil ? null : read(type, value));
        path.pop();
      });
      return values;
    };
  }

  function readStruct({ fields, extra, open, onOther }: Struct, node: CellNode, inArray: boolean): Read {
    for (const [key, field] of fields) addField(node, key, field, 0, inArray);
    const names = [...fields.values()].map(({ name }) => name);
    return (type, at) => {
      if (type !== document) return onOther ? onOther() : refuse('something other than an object', open);
      const values: Record<string, unknown> = {};
      // The library must find every name as an own property.
      for (const name of names) values[name] = null;
      const hasOthers = readMembers(node, at, values, inArray, extra !== undefined);
      if (extra)
        values[extra] = hasOthers ? text((sink) => writePruned(sink, source, at, node, 'others')) : null;
      return values;
    };
  }

  /**
   * Reads an object: its fields into `values`, or at the top level into `cells`.
   * Within arrays, returns whether there are other members; outside, these have columns.
   */
  function readMembers(
    parent: CellNode,
    start: number,
    values?: Record<string, unknown>,
    inArray = false,
    isOpen = true,
  ): boolean {
    const end = documentEnd(source, start);
    let before: CellNode | undefined;
    let hasOthers = false;
    for (let at = start + 4; at < end; ) {
      const type = source.bytes[at] as number;
      const key = at + 1;
      const node: CellNode | undefined = findChild(parent, before, source, key);
      const value = node ? key + node.key.length : keyEnd(source, key) + 1;
      at = valueEnd(source, type, value);
      if (node) before = node;
      path.push(key);
      if (node?.read) {
        const read = type === nil ? null : node.read(type, value);
        if (values) values[node.name as string] = read;
        else cells.push({ place: node.place, value: read });
      } else if (inArray) hasOthers = isOpen || refuse('a member that the schema forbids');
      else if (node && isNested(type, value)) readMembers(node, value);
      else if (node && node.place >= 0) {
        if (type !== nil) cells.push({ place: node.place, value: node.readOther?.(type, value) });
      } else if (rest !== undefined) hasRest = true;
      else if (all) throw new UnknownField(entryId(source), pointer());
      path.pop();
    }
    return hasOthers;
  }

  for (const [index, [key, field]] of [...tree.fields].entries())
    addField(root, key, field, first + index, false);
  for (const [index, { path, node }] of others.entries()) {
    const child = path.reduce<CellNode>(childOf, root);
    const readOther = readOf(node, child, false);
    Object.assign(child, { place: first + tree.fields.size + index, column: 'shown', readOther });
  }

  return function readCells(entry: Buffer): Cell[] {
    source = openEntry(entry);
    path.length = 0;
    hasRest = false;
    cells = time === undefined ? [] : [{ place: 0, value: BigInt(entryTime(source)) }];
    for (const name of meta)
      cells.push({ place: cells.length, value: name === 'id' ? entryId(source) : versionOf(source) });
    readMembers(root, source.payload);
    if (hasRest) {
      const value = text((sink) => writePruned(sink, source, source.payload, root, 'others'));
      cells.push({ place: first + tree.fields.size + others.length, value });
    }
    return cells;
  };
}
