import type { NumberColumn } from '@sluice/store/jobs/job-records.ts';
import {
  array,
  createEntryReader,
  document,
  documentEnd,
  double,
  int32,
  int64,
  keyEnd,
  type Memory,
  nil,
  valueEnd,
} from '../bson-walk.ts';
import { childOf, createRoot, type FieldNode, findChild } from '../field-tree.ts';
import type { Leaf, Node } from './nodes.ts';
import { fitsDouble, fitsInt64 } from './read-scalar.ts';

/** A place in payloads at or below which there are open numbers; `place` is among these. */
interface OpenNode extends FieldNode {
  items?: OpenNode;
}

/** The open numbers of a tree, in an order of their own. */
export function openNumbers(node: Node): Leaf[] {
  if (node.kind === 'list') return openNumbers(node.item);
  if (node.kind === 'struct') return [...node.fields.values()].flatMap((field) => openNumbers(field.node));
  return node.isOpen ? [node] : [];
}

/** Looks at entries for the type that each open number takes. Undefined where there is none: the schema tells all types. */
export function createNumberSurvey(tree: Node) {
  const leaves = openNumbers(tree);
  if (leaves.length === 0) return undefined;
  const places = new Map(leaves.map((leaf, place) => [leaf, place]));
  const root = openNode(createRoot(), tree, places);
  const isInteger = leaves.map(({ kind }) => kind === 'integer');
  const isDouble = leaves.map(() => true);
  const read = createEntryReader();

  function look(node: OpenNode, source: Memory, type: number, at: number): void {
    if (type === nil) return;
    if (node.place >= 0) note(node.place, source, type, at);
    else if (type === document) lookWithin(node, undefined, source, at);
    else if (type === array && node.items) lookWithin(undefined, node.items, source, at);
  }

  function lookWithin(
    parent: OpenNode | undefined,
    item: OpenNode | undefined,
    source: Memory,
    start: number,
  ): void {
    const end = documentEnd(source, start);
    let before: OpenNode | undefined;
    for (let at = start + 4; at < end; ) {
      const type = source.bytes[at] as number;
      const node: OpenNode | undefined = parent ? findChild(parent, before, source, at + 1) : item;
      const value = keyEnd(source, at + 1) + 1;
      at = valueEnd(source, type, value);
      if (!node) continue;
      before = node;
      look(node, source, type, value);
    }
  }

  function note(place: number, { view }: Memory, type: number, at: number): void {
    if (type === int32) return;
    if (type === double) isInteger[place] &&= fitsInt64(view.getFloat64(at, true));
    else {
      isInteger[place] &&= type === int64;
      isDouble[place] &&= type === int64 && fitsDouble(view.getBigInt64(at, true));
    }
  }

  return {
    add(entry: Buffer): void {
      const source = read(entry);
      look(root, source, document, source.payload);
    },
    /** In the order of `openNumbers`. */
    numbers: (): NumberColumn[] =>
      leaves.map((_, place) => (isInteger[place] ? 'integer' : isDouble[place] ? 'number' : 'json')),
  };
}

function openNode(at: OpenNode, node: Node, places: Map<Leaf, number>): OpenNode {
  if (node.kind === 'list') at.items = openNode(createRoot(), node.item, places);
  else if (node.kind !== 'struct') at.place = places.get(node) ?? -1;
  else
    for (const [key, field] of node.fields)
      if (openNumbers(field.node).length > 0) openNode(childOf(at, key), field.node, places);
  return at;
}
