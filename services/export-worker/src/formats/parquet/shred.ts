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
  string,
  valueEnd,
} from '../bson-walk.ts';
import { type ByteSink, clear, createByteSink, writeBytes } from '../byte-sink.ts';
import { versionOf, writeId } from '../entry-meta.ts';
import { childOf, createRoot, type FieldNode, findChild } from '../field-tree.ts';
import { UnknownField, Unrepresentable } from '../format.ts';
import { writeJson, writePruned } from '../write-json.ts';
import {
  addSlot,
  addValue,
  clearColumn,
  createLeafColumn,
  type LeafColumn,
  removeRow,
} from './leaf-column.ts';
import type { FileColumns, Leaf, List, Node, Open, Struct } from './nodes.ts';
import { readScalar } from './read-scalar.ts';

/** Takes a value that is not null. `repetition` is the level of its slot; see `LeafColumn`. */
type Read = (type: number, at: number, repetition: number) => void;

interface Reader {
  read: Read;
  /** The columns below. */
  leaves: LeafColumn[];
}

/** Where a node is in the tree of columns. */
interface Place {
  /** The definition level of a NULL here. */
  definition: number;
  /** How many lists are around it. */
  lists: number;
}

interface ShredNode extends FieldNode, Partial<Reader> {
  definition?: number;
  /** The number of the object in which the field was found last. */
  seen?: number;
  /** Reads a column outside of the tree. Members of an object there have their own columns. */
  readOther?: Read;
}

/**
 * Takes entries apart into the columns of a row group, each with the values of one leaf.
 * With `all`, a field without a column is an error, unless there is a rest column.
 */
export function createShred({ time, meta = [], tree, others, rest }: FileColumns, all: boolean) {
  const openEntry = createEntryReader();
  /** The bytes of all texts. */
  const text = createByteSink();
  /** In the order of the schema. */
  const columns: LeafColumn[] = [];
  const root: ShredNode = createRoot();
  let source: EntryPlace;
  let rows = 0;
  let objects = 0;
  let nulls = 0;
  let hasRest = false;
  /** Path of the current value: positions of keys, and indexes of items as -1 - index. An error leaves the path as it is. */
  const path: number[] = [];

  function addColumn({ definition, lists }: Place, isText: boolean): LeafColumn {
    const column = createLeafColumn({ isText, isRepeated: lists > 0, most: definition });
    columns.push(column);
    return column;
  }

  function addNumber(column: LeafColumn, repetition: number, value: number | bigint): void {
    addSlot(column, rows, repetition);
    addValue(column, value);
  }

  function addText(column: LeafColumn, repetition: number, write: () => void): void {
    const start = text.length;
    write();
    addSlot(column, rows, repetition);
    addValue(column, start);
    addValue(column, text.length);
  }

  function addNull(leaves: LeafColumn[], repetition: number, definition: number): void {
    nulls += leaves.length;
    for (const column of leaves) addSlot(column, rows, repetition, definition);
  }

  function addField(parent: ShredNode, key: string, node: Node, place: Place): ShredNode {
    const child: ShredNode = childOf(parent, key);
    child.column = 'shown';
    child.isWhole = place.lists > 0 || (node.kind === 'json' && !node.leafOnly);
    child.definition = place.definition;
    return Object.assign(child, readerOf(node, child, place));
  }

  function readerOf(node: Node, at: ShredNode, place: Place): Reader {
    if (node.kind === 'list') return listReader(node, place);
    if (node.kind === 'struct') return structReader(node, at, place);
    return leafReader(node, at, place);
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

  const isNested = (type: number, at: number) =>
    type === document && source.view.getInt32(at, true) > emptySize;

  function leafReader(
    { kind, leafOnly, declared, open, read: own }: Leaf,
    node: ShredNode,
    place: Place,
  ): Reader {
    if (own) return { read: (type, at) => own(source, type, at), leaves: [] };
    const isText = kind === 'string' || kind === 'json';
    const column = addColumn({ ...place, definition: place.definition + 1 }, isText);
    const leaves = [column];
    const what = `something other than a ${kind === 'integer' ? '64-bit integer' : kind}`;
    if (kind === 'string') {
      const read: Read = (type, at, repetition) => {
        if (type !== string) refuse(what, open);
        const end = at + 3 + source.view.getInt32(at, true);
        addText(column, repetition, () => writeBytes(text, source.bytes, at + 4, end));
      };
      return { read, leaves };
    }
    if (kind !== 'json') {
      const readValue = readScalar[kind];
      const read: Read = (type, at, repetition) => {
        addNumber(column, repetition, readValue(source, type, at) ?? refuse(what, open));
      };
      return { read, leaves };
    }
    if (declared) passOver(declared, node);
    const read: Read = (type, at, repetition) => {
      const nested = (leafOnly || declared) && isNested(type, at);
      if (nested) readMembers(node, at);
      if (nested && leafOnly) addNull(leaves, repetition, place.definition);
      else addText(column, repetition, () => writeJson(text, source, type, at));
    };
    return { read, leaves };
  }

  /** For an object in one JSON text: its declared fields have no columns. */
  function passOver({ fields }: Struct, parent: ShredNode): void {
    for (const [key, { node }] of fields) {
      const child: ShredNode = childOf(parent, key);
      const isHeld = node.kind === 'list' || (node.kind === 'json' && !node.leafOnly);
      if (node.kind === 'struct') passOver(node, child);
      child.leaves = [];
      child.read = (type, at) => {
        if (!isHeld && isNested(type, at)) readMembers(child, at);
      };
    }
  }

  function listReader({ item, open, onOther }: List, { definition, lists }: Place): Reader {
    const level = lists + 1;
    const inside = { definition: definition + 2, lists: level };
    const { read: readItem, leaves } = readerOf(item, createRoot(), inside);
    const read: Read = (type, start, repetition) => {
      if (type !== array) return onOther ? onOther() : refuse('something other than an array', open);
      if (source.view.getInt32(start, true) === emptySize) addNull(leaves, repetition, definition + 1);
      eachMember(source, start, (type, value, _key, index) => {
        const own = index === 0 ? repetition : level;
        path.push(-1 - index);
        if (type === nil) addNull(leaves, own, inside.definition);
        else readItem(type, value, own);
        path.pop();
      });
    };
    return { read, leaves };
  }

  function structReader({ fields, extra, open, onOther }: Struct, node: ShredNode, place: Place): Reader {
    const inside = { ...place, definition: place.definition + 1 };
    const members = Array.from(fields, ([key, field]) => addField(node, key, field.node, inside));
    const others = extra ? [addColumn({ ...inside, definition: inside.definition + 1 }, true)] : [];
    const leaves = [...members.flatMap(({ leaves = [] }) => leaves), ...others];
    const read: Read = (type, at, repetition) => {
      if (type !== document) return onOther ? onOther() : refuse('something other than an object', open);
      const object = objects + 1;
      const hasOthers = readMembers(node, at, repetition, place.lists > 0, extra !== undefined);
      for (const { seen, leaves = [] } of members)
        if (seen !== object) addNull(leaves, repetition, inside.definition);
      const [column] = others;
      if (column && hasOthers)
        addText(column, repetition, () => writePruned(text, source, at, node, 'others'));
      else addNull(others, repetition, inside.definition);
    };
    return { read, leaves };
  }

  /**
   * Reads the members of an object.
   * Within arrays, returns whether there are other members; outside, these have columns.
   */
  function readMembers(
    parent: ShredNode,
    start: number,
    repetition = 0,
    inArray = false,
    isOpen = true,
  ): boolean {
    const end = documentEnd(source, start);
    const object = ++objects;
    let before: ShredNode | undefined;
    let hasOthers = false;
    for (let at = start + 4; at < end; ) {
      const type = source.bytes[at] as number;
      const key = at + 1;
      const node: ShredNode | undefined = findChild(parent, before, source, key);
      const value = node ? key + node.key.length : keyEnd(source, key) + 1;
      at = valueEnd(source, type, value);
      if (node) before = node;
      path.push(key);
      if (node?.read) {
        node.seen = object;
        if (type !== nil) node.read(type, value, repetition);
        else addNull(node.leaves ?? [], repetition, node.definition ?? 0);
      } else if (inArray) hasOthers = isOpen || refuse('a member that the schema forbids');
      else if (node && isNested(type, value)) readMembers(node, value);
      else if (node?.readOther) {
        if (type !== nil) node.readOther(type, value, 0);
      } else if (rest !== undefined) hasRest = true;
      else if (all) throw new UnknownField(entryId(source), pointer());
      path.pop();
    }
    return hasOthers;
  }

  const top: Place = { definition: 0, lists: 0 };
  const timeColumn = time === undefined ? undefined : addColumn(top, false);
  const metaColumns = meta.map((name) => ({ name, column: addColumn(top, name === 'id') }));
  for (const [key, { node }] of tree.fields) addField(root, key, node, top);
  for (const { path, node } of others) {
    const child: ShredNode = path.reduce<ShredNode>(childOf, root);
    child.column = 'shown';
    child.readOther = readerOf(node, child, top).read;
  }
  const restColumn = rest === undefined ? undefined : addColumn({ ...top, definition: 1 }, true);

  function readEntry(): void {
    if (timeColumn) addNumber(timeColumn, 0, entryTime(source));
    for (const { name, column } of metaColumns)
      if (name === 'id') addText(column, 0, () => writeId(text, source));
      else addNumber(column, 0, versionOf(source));
    readMembers(root, source.payload);
    if (restColumn && hasRest)
      addText(restColumn, 0, () => writePruned(text, source, source.payload, root, 'others'));
  }

  return {
    columns,
    text: text as Readonly<ByteSink>,
    rows: () => rows,
    /** How many NULLs take memory: objects have them without a byte in the entry. */
    nulls: () => nulls,

    add(entry: Buffer): void {
      source = openEntry(entry);
      path.length = 0;
      hasRest = false;
      const before = { text: text.length, nulls };
      try {
        readEntry();
      } catch (error) {
        for (const column of columns) removeRow(column, rows);
        text.length = before.text;
        nulls = before.nulls;
        throw error;
      }
      rows += 1;
    },

    /** Begins the next row group. */
    clear(): void {
      for (const column of columns) clearColumn(column);
      clear(text);
      rows = 0;
      nulls = 0;
    },
  };
}
