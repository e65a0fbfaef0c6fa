import {
  createEntryReader,
  type EntryPlace,
  entryId,
  entryTime,
  senderIn,
  versionOf,
} from '@sluice/bson/entry.ts';
import { array, boolean, document, double, int32, int64, nil, string } from '@sluice/bson/types.ts';
import { documentEnd, isEmpty, keyEnd, valueEnd } from '@sluice/bson/values.ts';
import { toPointer } from '@sluice/json/pointer.ts';
import type { Meta } from '@sluice/tables/columns.ts';
import { writeAscii } from '../byte-sink.ts';
import { writeId } from '../entry-meta.ts';
import { childOf, createRoot, findChild } from '../field-tree.ts';
import { type SenderText, UnknownField, Unrepresentable } from '../format.ts';
import { writeJson, writePruned } from '../write-json.ts';
import { createColumnReaders, type EntryWalk, type ShredNode } from './column-readers.ts';
import type { FileColumns } from './nodes.ts';
import { type ColumnLevels, createShredded } from './shredded.ts';

const jsonTypes: Record<number, string> = {
  [string]: 'string',
  [boolean]: 'boolean',
  [array]: 'array',
  [document]: 'object',
  [double]: 'number',
  [int32]: 'number',
  [int64]: 'number',
};

/**
 * Takes entries apart into the columns of a row group, each with the values of one leaf.
 * With `all`, a field without a column is an error, unless there is a rest column.
 */
export function createShred(
  { time, meta = [], tree, others, rest, payload }: FileColumns,
  all: boolean,
  senderText?: SenderText,
) {
  const openEntry = createEntryReader();
  const root: ShredNode = createRoot();
  let hasRest = false;
  const walk: EntryWalk = {
    source: undefined as unknown as EntryPlace,
    objects: 0,
    path: [],

    isNested: (type, at) => type === document && !isEmpty(walk.source, at),

    readMembers(parent, start, repetition = 0, inArray = false, isOpen = true) {
      const { source, path, isNested, readMembers } = walk;
      const end = documentEnd(source, start);
      const object = ++walk.objects;
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
          else shredded.addNull(node.leaves ?? [], repetition, node.definition ?? 0);
        } else if (inArray) hasOthers = isOpen || walk.refuse('a member that the schema forbids');
        else if (node && isNested(type, value)) readMembers(node, value);
        else if (node?.readOther) {
          if (type !== nil) node.readOther(type, value, 0);
        } else if (rest !== undefined) hasRest = true;
        else if (all) throw new UnknownField(entryId(source), pointer());
        path.pop();
      }
      return hasOthers;
    },

    refuse(what, open) {
      throw new Unrepresentable(entryId(walk.source), pointer(), what, open !== undefined);
    },
  };

  function pointer(): string {
    const { source, path } = walk;
    return toPointer(
      path.map((at) => (at < 0 ? String(-1 - at) : source.bytes.toString('utf8', at, keyEnd(source, at)))),
    );
  }

  const shredded = createShredded();
  const { columns, text, rows, nulls, addColumn, addNumber, addText } = shredded;
  const { addField, readerOf } = createColumnReaders(shredded, walk);
  const top: ColumnLevels = { definition: 0, lists: 0 };
  const timeColumn = time === undefined ? undefined : addColumn(top, false);
  const optional = { ...top, definition: 1 };
  const columnOf = (name: Meta) => {
    if (name === 'schema_version') return addColumn(top, false);
    return addColumn(name === 'id' ? top : optional, true);
  };
  const metaColumns = meta.map((name) => ({ name, column: columnOf(name) }));
  const payloadColumn = payload === undefined ? undefined : addColumn(top, true);
  for (const [key, { node }] of tree.fields) addField(root, key, node, top);
  /** The types of values, by the columns of texts. */
  const seen = new Map<string, Set<number>>();
  for (const { name, path, node } of others) {
    const child: ShredNode = path.reduce<ShredNode>(childOf, root);
    child.column = 'shown';
    const { read } = readerOf(node, child, top);
    child.readOther = read;
    if (node.kind !== 'string' && node.kind !== 'json') continue;
    const types = new Set<number>();
    seen.set(name, types);
    child.readOther = (type, at, repetition) => {
      types.add(type);
      read(type, at, repetition);
    };
  }
  const restColumn = rest === undefined ? undefined : addColumn(optional, true);

  function readEntry(): void {
    const { source } = walk;
    if (timeColumn) addNumber(timeColumn, 0, entryTime(source));
    for (const { name, column } of metaColumns)
      if (name === 'id') addText(column, 0, () => writeId(text, source));
      else if (name === 'schema_version') addNumber(column, 0, versionOf(source));
      else {
        const told = senderText?.(senderIn(source), name);
        if (told !== undefined) addText(column, 0, () => writeAscii(text, told));
      }
    if (payloadColumn) addText(payloadColumn, 0, () => writeJson(text, source, document, source.payload));
    walk.readMembers(root, source.payload);
    if (restColumn && hasRest)
      addText(restColumn, 0, () => writePruned(text, source, source.payload, root, 'others'));
  }

  return {
    columns,
    text,
    rows,
    nulls,
    clear: shredded.clear,

    /** The JSON types that each column of texts has had. */
    textTypes: (): Record<string, string[]> =>
      Object.fromEntries(
        Array.from(seen, ([name, types]) => [
          name,
          [...new Set(Array.from(types, (type) => jsonTypes[type]))],
        ]),
      ) as Record<string, string[]>,

    add(entry: Buffer): void {
      walk.source = openEntry(entry);
      walk.path.length = 0;
      hasRest = false;
      try {
        readEntry();
      } catch (error) {
        shredded.removeRow();
        throw error;
      }
      shredded.endRow();
    },
  };
}
