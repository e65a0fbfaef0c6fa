import { toPointer } from '@sluice/json/pointer.ts';
import type { Schema } from '@sluice/schemas/schema.ts';
import { restName } from '@sluice/tables/columns.ts';
import { type Leaf, type Node, type Open, type Struct, type StructField, within } from './nodes.ts';
import { maxNodes, typedTree } from './typed-tree.ts';

/** The types of payloads that are each valid by some version of a schema. */
export interface Versions {
  /** The fields that the first version declares. */
  tree: Struct;
  /** Fields outside of arrays that only later versions declare, by JSON Pointer. Each keeps its own column. */
  fields: Map<string, Node>;
}

const numeric = new Set<Node['kind']>(['integer', 'number']);
const texts = new Set<Node['kind']>(['string', 'date', 'timestamp']);

/** Takes versions oldest first. A field that some version does not declare may have any value: its node is open. */
export function typesOfVersions([first, ...later]: [Schema, ...Schema[]]): Versions {
  const fields: Versions['fields'] = new Map();
  let count = 0;

  /** Merges two nodes; `path` is absent within arrays. */
  function both(one: Node, other: Node, path?: string[]): Node {
    const open = wider(one.open, other.open);
    if (one.kind === 'struct' && other.kind === 'struct') return { ...structOf(one, other, path), open };
    if (one.kind === 'list' && other.kind === 'list') {
      const item = both(one.item, other.item);
      return item.kind === 'json' ? textOf(one, !path) : { kind: 'list', item, open };
    }
    if (one.kind === 'json') return one;
    if (one.kind === other.kind) return { ...(one as Leaf), open };
    const hasBoth = (kinds: Set<Node['kind']>) => kinds.has(one.kind) && kinds.has(other.kind);
    if (hasBoth(numeric)) return { kind: 'number', open: wider(open, 'large') };
    return hasBoth(texts) ? { kind: 'string', open } : textOf(one, !path);
  }

  function structOf(one: Struct, other: Struct, path?: string[]): Struct {
    const merged = new Map<string, StructField>();
    for (const [key, { name, node }] of one.fields) {
      const added = other.fields.get(key)?.node;
      merged.set(key, {
        name,
        node: added ? both(node, added, path && [...path, key]) : opened(node, !path),
      });
    }
    const added = [...other.fields].filter(([key]) => !merged.has(key));
    for (const [key, { name, node }] of added) {
      if (path) addFields(node, [...path, key]);
      else count += sizeOf(node);
      if (!path && count <= maxNodes) merged.set(key, { name, node: opened(node, true) });
    }
    const isClosed = one.extra === undefined && other.extra === undefined && count <= maxNodes;
    return { kind: 'struct', fields: merged, extra: path || isClosed ? undefined : restName(merged.keys()) };
  }

  function addFields(node: Node, path: string[]): void {
    if (node.kind === 'struct') for (const [key, field] of node.fields) addFields(field.node, [...path, key]);
    else {
      const known = fields.get(toPointer(path));
      fields.set(toPointer(path), known ? both(known, opened(node, false), path) : opened(node, false));
    }
  }

  let tree = typedTree(first);
  for (const schema of later) tree = structOf(tree, typedTree(schema), []);
  return { tree, fields };
}

const wider = (one: Open | undefined, other: Open | undefined): Open | undefined =>
  one === 'any' || other === 'any' ? 'any' : (one ?? other);

const sizeOf = (node: Node): number => within(node).reduce((sum, inner) => sum + sizeOf(inner), 1);

/** The node as JSON text. Outside of arrays, the columns of inner fields stay. */
export function textOf(node: Node, inArray: boolean): Leaf {
  if (inArray) return { kind: 'json' };
  return node.kind === 'struct' ? { kind: 'json', declared: node } : { kind: 'json', leafOnly: true };
}

/** The node, open for any value at every level. */
function opened(node: Node, inArray: boolean): Node {
  if (node.kind === 'list') return { ...node, item: opened(node.item, true), open: 'any' };
  if (node.kind !== 'struct') return node.kind === 'json' ? node : { ...node, open: 'any' };
  const fields = new Map(
    Array.from(node.fields, ([key, field]) => [key, { ...field, node: opened(field.node, inArray) }]),
  );
  return {
    ...node,
    fields,
    open: 'any',
    extra: inArray ? (node.extra ?? restName(fields.keys())) : undefined,
  };
}
