import { fromPointer, toPointer } from '@sluice/json/pointer.ts';
import type { Column } from '@sluice/schemas/columns/columns.ts';
import { createNames } from '@sluice/schemas/columns/names.ts';
import type { Schema } from '@sluice/schemas/parse-schema.ts';
import type { NumberColumn } from '@sluice/store/jobs/job-records.ts';
import { isTime } from '../columns.ts';
import { type Node, openNumbers, type Struct } from './nodes.ts';
import { typedTree } from './typed-tree.ts';

export interface FileColumns {
  /** Name of the column of the time of the entry, where it is wanted. */
  time: string | undefined;
  /** The tree of the schema, down to what is wanted. */
  tree: Struct;
  /** Leaves that have no place in the tree. */
  others: { name: string; path: string[] }[];
  /** Name of the column of all leaves that have none, where there is one. */
  rest: string | undefined;
}

interface Options {
  schema: Schema;
  columns: Column[];
  selected?: string[] | undefined;
  /** How each open number is held, as a survey found; absent: as the schema says. */
  numbers?: NumberColumn[] | undefined;
}

/** The columns of a file: of the leaves named, or of all. */
export function fileColumns({ schema, columns, selected, numbers }: Options): FileColumns {
  const names = selected && new Set(selected);
  const wanted = names ? columns.filter(({ name }) => names.has(name)) : columns;
  const pointers = names && new Set(wanted.map(({ pointer }) => pointer));
  const full = typedTree(schema);
  const pruned = pointers ? prune(full, '', (pointer) => pointers.has(pointer)) : full;
  const tree = withNames(pruned?.kind === 'struct' ? pruned : { kind: 'struct', fields: new Map() }, columns);
  for (const [index, leaf] of openNumbers(tree).entries()) leaf.kind = numbers?.[index] ?? leaf.kind;
  const others = wanted
    .map(({ name, pointer }) => ({ name, path: pointer === undefined ? undefined : fromPointer(pointer) }))
    .filter(
      (leaf): leaf is FileColumns['others'][number] => leaf.path !== undefined && !holds(tree, leaf.path),
    );
  const time = wanted.find(isTime)?.name;
  return { time, tree, others, rest: wanted.find(({ isRest }) => isRest)?.name };
}

function prune(node: Node, pointer: string, isWanted: (pointer: string) => boolean): Node | undefined {
  if (node.kind !== 'struct') {
    if (!isWanted(pointer)) return undefined;
    return node.kind === 'json' ? { kind: 'json', leafOnly: true } : node;
  }
  const fields: Struct['fields'] = new Map();
  for (const [key, field] of node.fields) {
    const kept = prune(field.node, pointer + toPointer([key]), isWanted);
    if (kept) fields.set(key, { ...field, node: kept });
  }
  return fields.size > 0 ? { ...node, fields } : undefined;
}

/** At the top the names are those of the columns; where a key has no column of its own, its pointer if need be. */
function withNames({ fields, ...rest }: Struct, columns: Column[]): Struct {
  const nameOf = createNames(columns.map(({ name }) => name));
  const byPointer = new Map(columns.map(({ name, pointer }) => [pointer, name]));
  const named: Struct['fields'] = new Map();
  for (const [key, { node }] of fields) {
    const pointer = toPointer([key]);
    named.set(key, { name: byPointer.get(pointer) ?? nameOf(pointer), node });
  }
  return { ...rest, fields: named };
}

/** Whether a leaf of a payload, wherever it is valid, has its place in the tree. */
function holds(tree: Struct, path: string[]): boolean {
  let node: Node = tree;
  for (const key of path) {
    if (node.kind !== 'struct') return node.kind === 'json' && !node.leafOnly;
    const field = node.fields.get(key);
    if (!field) return false;
    node = field.node;
  }
  return true;
}
