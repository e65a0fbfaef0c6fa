import { boolean, double, int32, int64, string } from '@sluice/bson/types.ts';
import { doubleAt, int64At } from '@sluice/bson/values.ts';
import type { ColumnKind } from '@sluice/jobs/record/export-record.ts';
import { fromPointer } from '@sluice/json/pointer.ts';
import { type Leaf, type LeafKind, type Node, openNodes, type ReadScalar, type Struct } from './nodes.ts';
import { fitsDouble, fitsInt64, readDate, readTimestamp } from './read-scalar.ts';
import { createShred } from './shred.ts';
import { textOf, type Versions } from './versions-tree.ts';

type Fits = (...value: Parameters<ReadScalar>) => boolean;

/** Whether a column of this kind holds the value. */
const fits: Record<Exclude<LeafKind, 'json'>, Fits> = {
  integer: (source, type, at) =>
    type === int32 || type === int64 || (type === double && fitsInt64(doubleAt(source, at))),
  number: (source, type, at) =>
    type === int32 || type === double || (type === int64 && fitsDouble(int64At(source, at))),
  string: (_source, type) => type === string,
  boolean: (_source, type) => type === boolean,
  date: (...value) => readDate(...value) !== undefined,
  timestamp: (...value) => readTimestamp(...value) !== undefined,
};

/** The next kind to try if a kind does not hold all values. The last resort is JSON text. */
const wider: { [Kind in LeafKind]?: Exclude<LeafKind, 'json'> } = {
  integer: 'number',
  date: 'string',
  timestamp: 'string',
};

/** Reads entries to find the kind of each open node, without looking for large numbers unless there are some. */
export function createTypeSurvey(versions: Versions, hasLarge: boolean) {
  const kinds = new Map<Node, () => ColumnKind>();
  const isOpen = ({ open }: Node) => open === 'any' || (hasLarge && open === 'large');
  const hasOpen = (node: Node) => openNodes(node).some(isOpen);

  /** Reduces the tree to the paths to open nodes. */
  function openPart(node: Node): Node {
    if (node.kind !== 'struct' && node.kind !== 'list') return openLeaf(node);
    let hasOther = false;
    if (isOpen(node)) kinds.set(node, () => (hasOther ? 'json' : node.kind));
    const onOther = () => {
      hasOther = true;
    };
    if (node.kind === 'list') return { kind: 'list', item: openPart(node.item), onOther };
    const open = node.fields.entries().filter(([, field]) => hasOpen(field.node));
    const fields = new Map(open.map(([key, field]) => [key, { ...field, node: openPart(field.node) }]));
    return { kind: 'struct', fields, extra: false, onOther };
  }

  function openLeaf(leaf: Leaf): Leaf {
    const { kind } = leaf;
    if (kind === 'json' || !isOpen(leaf)) return { kind: 'json', read: () => 0 };
    const left = new Set([kind, wider[kind]].filter((one) => one !== undefined));
    kinds.set(leaf, () => left.values().next().value ?? 'json');
    return {
      kind,
      read(source, type, at) {
        for (const one of left) if (!fits[one](source, type, at)) left.delete(one);
        return 0;
      },
    };
  }

  const others = versions.fields.entries().filter(([, node]) => hasOpen(node));
  const tree = openPart(versions.tree) as Struct;
  const beside = Array.from(others, ([pointer, node]) => ({
    name: pointer,
    path: fromPointer(pointer),
    node: openPart(node),
  }));
  const { add } = createShred({ tree, others: beside }, false);
  return {
    /** The members of payloads that `add` looks at. */
    members: [...new Set([...tree.fields.keys(), ...beside.map(({ path }) => path[0] as string)])],
    add,
    kinds: (): ColumnKind[] => openIn(versions).map((node) => kinds.get(node)?.() ?? node.kind),
  };
}

const openIn = ({ tree, fields }: Versions) => [tree, ...fields.values()].flatMap(openNodes);

/** Sets the kind of each open node, in the order of the survey. */
export function withKinds({ tree, fields }: Versions, kinds: ColumnKind[]): Versions {
  const next = kinds.values();

  function surveyed(node: Node, inArray: boolean): Node {
    const kind = node.open ? (next.next().value ?? node.kind) : node.kind;
    if (node.kind === 'struct') {
      const fields = new Map(
        Array.from(node.fields, ([key, field]) => [key, { ...field, node: surveyed(field.node, inArray) }]),
      );
      if (kind !== 'json') return { ...node, fields };
    } else if (node.kind === 'list') {
      const item = surveyed(node.item, true);
      if (kind !== 'json') return { ...node, item };
    } else if (kind !== 'json') return { ...node, kind } as Leaf;
    return node.kind === 'json' ? node : textOf(node, inArray);
  }

  return {
    tree: surveyed(tree, false) as Struct,
    fields: new Map(Array.from(fields, ([pointer, node]) => [pointer, surveyed(node, false)])),
  };
}
