import type { ColumnKind } from '@sluice/jobs/record/export-record.ts';
import { fromPointer, toPointer } from '@sluice/json/pointer.ts';
import type { Schema } from '@sluice/schemas/schema.ts';
import type { Column } from '@sluice/tables/columns.ts';
import { topNames } from '@sluice/tables/columns.ts';
import { isTime } from '../format.ts';
import { type FileColumns, type Node, openNodes, type Struct } from './nodes.ts';
import { createTypeSurvey, withKinds } from './survey-types.ts';
import { typesOfVersions, type Versions } from './versions-tree.ts';

export interface ColumnOptions {
  /** The versions of the schema, oldest first: each entry is valid by one version. */
  schemas: [Schema, ...Schema[]];
  /** All columns of the application. */
  columns: Column[];
  /** Names of the columns to keep; absent: all. */
  selected?: string[] | undefined;
  /** The kind of each open node, from a survey; absent: as the schemas say. */
  kinds?: ColumnKind[] | undefined;
  /** Files of archives: see `lakeNode`. */
  inLake?: boolean | undefined;
}

export function fileColumns({ schemas, columns, selected, kinds, inLake }: ColumnOptions): FileColumns {
  const names = selected && new Set(selected);
  const wanted = names ? columns.filter(({ name }) => names.has(name)) : columns;
  const declared = typesOfVersions(schemas);
  const typed = kinds ? withKinds(declared, kinds) : declared;
  const tree: Struct = inLake
    ? { kind: 'struct', fields: new Map() }
    : shownOf(typed.tree, { columns, wanted, names });
  const others = wanted.flatMap(({ name, pointer }) => {
    if (pointer === undefined) return [];
    const path = fromPointer(pointer);
    if (inLake) return [{ name, path, node: lakeNode(typed, pointer, path) }];
    const node: Node = typed.fields.get(pointer) ?? { kind: 'json' };
    return holds(tree, path) ? [] : [{ name, path, node }];
  });
  return {
    time: wanted.find(isTime)?.name,
    meta: wanted.flatMap(({ meta }) => meta ?? []),
    tree,
    others,
    rest: wanted.find(({ isRest }) => isRest)?.name,
    payload: wanted.find(({ isPayload }) => isPayload)?.name,
  };
}

/**
 * The type of a column in an archive: that of a scalar, else text. Files of other versions may have another type.
 * A text and a scalar have a common type for readers, and a text and a list have none.
 */
function lakeNode({ tree, fields }: Versions, pointer: string, path: string[]): Node {
  let node = fields.get(pointer);
  if (!node) {
    node = tree;
    for (const key of path) node = node?.kind === 'struct' ? node.fields.get(key)?.node : undefined;
  }
  const isScalar = node && node.kind !== 'struct' && node.kind !== 'list' && node.kind !== 'json';
  return isScalar ? (node as Node) : { kind: 'json', plain: true };
}

/**
 * Surveys entries for the column kinds that the schemas do not determine. Undefined if the schemas determine all kinds.
 * `hasLarge` is false if no entry has a number beyond 2^53.
 */
export function surveyKinds(options: ColumnOptions, hasLarge: boolean) {
  const { tree, others } = fileColumns(options);
  const open = [tree, ...others.map(({ node }) => node)].flatMap(openNodes);
  if (!open.some((node) => hasLarge || node.open === 'any')) return undefined;
  return createTypeSurvey(typesOfVersions(options.schemas), hasLarge);
}

/** Reduces the tree to the selected columns and fields. Top-level fields get the names of columns. */
function shownOf(
  { fields, ...rest }: Struct,
  { columns, wanted, names }: { columns: Column[]; wanted: Column[]; names: Set<string> | undefined },
): Struct {
  const pointers = new Set(wanted.map(({ pointer }) => pointer));
  const named = topNames([...fields.keys()], columns);
  const shown: Struct['fields'] = new Map();
  for (const [key, { node }] of fields) {
    const pointer = toPointer([key]);
    const name = named.get(key) as string;
    const isWhole = !names || (names.has(name) && !(node.kind === 'json' && pointers.has(pointer)));
    const kept = isWhole ? node : prune(node, pointer, (field) => pointers.has(field));
    if (kept) shown.set(key, { name, node: kept });
  }
  return { ...rest, fields: shown };
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

/** Whether the tree has a place for the field at a path. */
function holds(tree: Struct, path: string[]): boolean {
  let node: Node = tree;
  for (const key of path) {
    if (node.kind === 'json' && node.declared) node = node.declared;
    if (node.kind !== 'struct') return node.kind === 'json' && !node.leafOnly;
    const field = node.fields.get(key);
    if (!field) return false;
    node = field.node;
  }
  return true;
}
