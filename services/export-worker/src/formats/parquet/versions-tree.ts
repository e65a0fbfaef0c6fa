import { restName } from '@sluice/schemas/columns/names.ts';
import type { Schema } from '@sluice/schemas/parse-schema.ts';
import { type Field, type Leaf, type Node, type Open, type Struct, within } from './nodes.ts';
import { type Dates, maxNodes, typedTree } from './typed-tree.ts';

const numeric = new Set<Node['kind']>(['integer', 'number']);
const texts = new Set<Node['kind']>(['string', 'date', 'timestamp']);

/**
 * The types of payloads of which each is valid by one version of a schema, oldest first. A field that a version does not declare
 * may be anything there: its node is open.
 */
export function treeOfVersions([first, ...later]: [Schema, ...Schema[]], dates: Dates): Struct {
  let count = 0;

  function both(one: Node, other: Node, inArray: boolean): Node {
    const open = wider(one.open, other.open);
    if (one.kind === 'struct' && other.kind === 'struct') return { ...structOf(one, other, inArray), open };
    if (one.kind === 'list' && other.kind === 'list') {
      const item = both(one.item, other.item, true);
      return item.kind === 'json' ? text(inArray) : { kind: 'list', item, open };
    }
    if (one.kind === 'json' || other.kind === 'json') return one.kind === 'json' ? one : { kind: 'json' };
    if (one.kind === other.kind) return { ...(one as Leaf), open };
    const hasBoth = (kinds: Set<Node['kind']>) => kinds.has(one.kind) && kinds.has(other.kind);
    if (hasBoth(numeric)) return { kind: 'number', open: wider(open, 'large') };
    return hasBoth(texts) ? { kind: 'string', open } : text(inArray);
  }

  function structOf(one: Struct, other: Struct, inArray: boolean): Struct {
    const fields = new Map<string, Field>();
    for (const [key, { name, node }] of one.fields) {
      const added = other.fields.get(key)?.node;
      fields.set(key, { name, node: added ? both(node, added, inArray) : opened(node, inArray) });
    }
    for (const [key, { name, node }] of other.fields) {
      if (fields.has(key)) continue;
      count += sizeOf(node);
      // What has no place in the tree has a column of JSON text.
      if (count > maxNodes) continue;
      const isText = node.kind === 'json' && !inArray;
      fields.set(key, { name, node: isText ? text(false) : opened(node, inArray) });
    }
    const isClosed = one.extra === undefined && other.extra === undefined && count <= maxNodes;
    return { kind: 'struct', fields, extra: inArray && !isClosed ? restName(fields.keys()) : undefined };
  }

  const trees = later.map((schema) => typedTree(schema, dates));
  return trees.reduce((all, tree) => structOf(all, tree, false), typedTree(first, dates));
}

const wider = (one: Open | undefined, other: Open | undefined): Open | undefined =>
  one === 'any' || other === 'any' ? 'any' : (one ?? other);

const sizeOf = (node: Node): number => within(node).reduce((sum, inner) => sum + sizeOf(inner), 1);

/** For values of several types. Outside of arrays the fields within them have columns of their own, as they have in CSV. */
const text = (inArray: boolean): Leaf => ({ kind: 'json', leafOnly: !inArray });

/** The same where any value may stand, there and within it. */
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
