import { fromPointer, toPointer } from '@sluice/json/pointer.ts';
import type { Column } from '@sluice/schemas/columns/columns.ts';
import { topKeys, topNames } from '@sluice/schemas/columns/top-names.ts';
import type { Schema } from '@sluice/schemas/parse-schema.ts';
import type { Meta } from '@sluice/shared/contracts/jobs.ts';
import type { ColumnKind } from '@sluice/store/jobs/job-records.ts';
import { isTime } from '../columns.ts';
import { type Node, openNodes, type Struct } from './nodes.ts';
import { createTypeSurvey, withKinds } from './survey-types.ts';
import type { Dates } from './typed-tree.ts';
import { treeOfVersions } from './versions-tree.ts';

/** A column of a key at the top of payloads, with the types of what is below; or JSON text of one field. */
export type FileField = { name: string; key: string; node: Node } | { name: string; path: string[] };

export interface FileColumns {
  /** Name of the column of the time of the entry, where it is wanted. */
  time?: string | undefined;
  meta?: Meta[];
  fields: FileField[];
  /** Name of the column of all fields that have none, where there is one. */
  rest?: string | undefined;
}

interface Options {
  /** The versions that the entries were validated with, oldest first. */
  schemas: [Schema, ...Schema[]];
  columns: Column[];
  selected?: string[] | undefined;
  /** Of each open node, as a survey found; absent: as the schemas say. */
  kinds?: ColumnKind[] | undefined;
  dates?: Dates;
}

/** The columns of a file: of those named, or of all. */
export function fileColumns({ schemas, columns, selected, kinds, dates = 'typed' }: Options): FileColumns {
  const names = selected && new Set(selected);
  const wanted = names ? columns.filter(({ name }) => names.has(name)) : columns;
  const pointers = new Set(wanted.map(({ pointer }) => pointer));
  const tree = treeOfVersions(schemas, dates);
  const named = topNames([...tree.fields.keys()], columns);
  const full = kinds ? withKinds(tree, kinds) : tree;
  const shown: Struct = { kind: 'struct', fields: new Map() };
  for (const [key, { node }] of full.fields) {
    const pointer = toPointer([key]);
    const name = named.get(key) as string;
    const isWhole = names?.has(name) && !(node.kind === 'json' && pointers.has(pointer));
    const kept = names && !isWhole ? prune(node, pointer, (field) => pointers.has(field)) : node;
    if (kept) shown.fields.set(key, { name, node: kept });
  }
  return {
    time: wanted.find(isTime)?.name,
    meta: wanted.flatMap(({ meta }) => meta ?? []),
    fields: inOrder(shown, { columns, wanted, first: new Set(topKeys(schemas[0])) }),
    rest: wanted.find(({ isRest }) => isRest)?.name,
  };
}

/**
 * Looks at entries for the kinds of columns that the schemas do not tell. Undefined where there are none: `hasLarge` is false where no
 * entry has a number beyond 2^53.
 */
export function surveyKinds(options: Options, hasLarge: boolean) {
  const open = fileColumns(options).fields.flatMap((field) => ('node' in field ? openNodes(field.node) : []));
  if (!open.some((node) => hasLarge || node.open === 'any')) return undefined;
  return createTypeSurvey(treeOfVersions(options.schemas, options.dates ?? 'typed'));
}

/** The keys that the first version declares, then the others as they became columns: so none moves when there is another version. */
function inOrder(
  shown: Struct,
  { columns, wanted, first }: { columns: Column[]; wanted: Column[]; first: Set<string> },
): FileField[] {
  const places = new Map<string, number>();
  for (const [place, { pointer }] of columns.entries()) {
    const [key] = pointer === undefined ? [] : fromPointer(pointer);
    if (key !== undefined && !places.has(key)) places.set(key, place);
  }
  const placed: { place: number; field: FileField }[] = [];
  for (const [key, field] of shown.fields) {
    const place = first.has(key) ? -1 : (places.get(key) ?? columns.length);
    placed.push({ place, field: { ...field, key } });
  }
  const isWanted = new Set(wanted);
  for (const [place, column] of columns.entries()) {
    if (column.pointer === undefined || !isWanted.has(column)) continue;
    const path = fromPointer(column.pointer);
    if (!holds(shown, path)) placed.push({ place, field: { name: column.name, path } });
  }
  return placed.sort((one, other) => one.place - other.place).map(({ field }) => field);
}

function prune(node: Node, pointer: string, isWanted: (pointer: string) => boolean): Node | undefined {
  if (node.kind !== 'struct') {
    if (!isWanted(pointer)) return undefined;
    return node.kind === 'json' ? { ...node, leafOnly: true } : node;
  }
  const fields: Struct['fields'] = new Map();
  for (const [key, field] of node.fields) {
    const kept = prune(field.node, pointer + toPointer([key]), isWanted);
    if (kept) fields.set(key, { ...field, node: kept });
  }
  return fields.size > 0 ? { ...node, fields } : undefined;
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
