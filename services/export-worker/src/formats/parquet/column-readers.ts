import type { EntryPlace } from '@sluice/bson/entry.ts';
import { array, document, nil, string } from '@sluice/bson/types.ts';
import { eachMember, isEmpty, textEnd, textStart } from '@sluice/bson/values.ts';
import { writeBytes } from '../byte-sink.ts';
import { childOf, createRoot, type FieldNode } from '../field-tree.ts';
import { writeJson, writePruned } from '../write-json.ts';
import type { LeafColumn } from './leaf-column.ts';
import type { Leaf, List, Node, Open, Struct } from './nodes.ts';
import { readScalar } from './read-scalar.ts';
import type { ColumnLevels, Shredded } from './shredded.ts';

/** Takes a value that is not null. `repetition` is the level of its slot; see `LeafColumn`. */
type Read = (type: number, at: number, repetition: number) => void;

interface Reader {
  read: Read;
  /** The columns below. */
  leaves: LeafColumn[];
}

export interface ShredNode extends FieldNode, Partial<Reader> {
  definition?: number;
  /** The number of the object in which the field was found last. */
  seen?: number;
  /** Reads a column outside of the tree. Members of an object there have their own columns. */
  readOther?: Read;
}

/** The entry that is taken apart. */
export interface EntryWalk {
  source: EntryPlace;
  /** How many objects were begun. */
  objects: number;
  /** Path of the current value: positions of keys, and indexes of items as -1 - index. An error leaves the path as it is. */
  path: number[];
  /** Whether a value is an object with members. */
  isNested(type: number, at: number): boolean;
  /**
   * Reads the members of an object.
   * Within arrays, returns whether there are other members; outside, these have columns.
   */
  readMembers(
    parent: ShredNode,
    start: number,
    repetition?: number,
    inArray?: boolean,
    isOpen?: boolean,
  ): boolean;
  refuse(what: string, open?: Open): never;
}

/** Makes what reads the values of a node into its columns. */
export function createColumnReaders(
  { text, addColumn, addNumber, addText, addNull }: Shredded,
  walk: EntryWalk,
) {
  const { path, isNested, readMembers } = walk;
  const refuse: EntryWalk['refuse'] = walk.refuse;

  function addField(parent: ShredNode, key: string, node: Node, place: ColumnLevels): ShredNode {
    const child: ShredNode = childOf(parent, key);
    child.column = 'shown';
    child.isWhole = place.lists > 0 || (node.kind === 'json' && !node.leafOnly);
    child.definition = place.definition;
    return Object.assign(child, readerOf(node, child, place));
  }

  function readerOf(node: Node, at: ShredNode, place: ColumnLevels): Reader {
    if (node.kind === 'list') return listReader(node, place);
    if (node.kind === 'struct') return structReader(node, at, place);
    return leafReader(node, at, place);
  }

  function leafReader(
    { kind, leafOnly, declared, plain, open, read: own }: Leaf,
    node: ShredNode,
    place: ColumnLevels,
  ): Reader {
    if (own) return { read: (type, at) => own(walk.source, type, at), leaves: [] };
    const isText = kind === 'string' || kind === 'json';
    const column = addColumn({ ...place, definition: place.definition + 1 }, isText);
    const leaves = [column];
    const what = `something other than a ${kind === 'integer' ? '64-bit integer' : kind}`;
    const addString = (at: number, repetition: number) => {
      const { source } = walk;
      addText(column, repetition, () => writeBytes(text, source.bytes, textStart(at), textEnd(source, at)));
    };
    if (kind === 'string') {
      const read: Read = (type, at, repetition) => {
        if (type !== string) refuse(what, open);
        addString(at, repetition);
      };
      return { read, leaves };
    }
    if (kind !== 'json') {
      const readValue = readScalar[kind];
      const read: Read = (type, at, repetition) => {
        addNumber(column, repetition, readValue(walk.source, type, at) ?? refuse(what, open));
      };
      return { read, leaves };
    }
    if (declared) passOver(declared, node);
    const read: Read = (type, at, repetition) => {
      const nested = (leafOnly || declared) && isNested(type, at);
      if (nested) readMembers(node, at);
      if (nested && leafOnly) addNull(leaves, repetition, place.definition);
      else if (plain && type === string) addString(at, repetition);
      else addText(column, repetition, () => writeJson(text, walk.source, type, at));
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

  function listReader({ item, open, onOther }: List, { definition, lists }: ColumnLevels): Reader {
    const level = lists + 1;
    const inside = { definition: definition + 2, lists: level };
    const { read: readItem, leaves } = readerOf(item, createRoot(), inside);
    const read: Read = (type, start, repetition) => {
      if (type !== array) return onOther ? onOther() : refuse('something other than an array', open);
      const { source } = walk;
      if (isEmpty(source, start)) addNull(leaves, repetition, definition + 1);
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

  function structReader(
    { fields, extra, open, onOther }: Struct,
    node: ShredNode,
    place: ColumnLevels,
  ): Reader {
    const inside = { ...place, definition: place.definition + 1 };
    const members = Array.from(fields, ([key, field]) => addField(node, key, field.node, inside));
    const others = extra ? [addColumn({ ...inside, definition: inside.definition + 1 }, true)] : [];
    const leaves = [...members.flatMap(({ leaves = [] }) => leaves), ...others];
    const read: Read = (type, at, repetition) => {
      if (type !== document) return onOther ? onOther() : refuse('something other than an object', open);
      const object = walk.objects + 1;
      const hasOthers = readMembers(node, at, repetition, place.lists > 0, extra !== undefined);
      for (const { seen, leaves = [] } of members)
        if (seen !== object) addNull(leaves, repetition, inside.definition);
      const [column] = others;
      if (column && hasOthers)
        addText(column, repetition, () => writePruned(text, walk.source, at, node, 'others'));
      else addNull(others, repetition, inside.definition);
    };
    return { read, leaves };
  }

  return { addField, readerOf };
}
