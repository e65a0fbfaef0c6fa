import type { NumberColumn } from '@sluice/store/jobs/job-records.ts';
import { double, int32, int64 } from '../bson-walk.ts';
import { type Leaf, type Node, openNumbers, type ReadScalar, type Struct } from './nodes.ts';
import { createReadCells } from './read-cells.ts';
import { fitsDouble, fitsInt64 } from './read-scalar.ts';

/** Looks at entries for the type that each open number takes. Undefined where there is none: the schema tells all types. */
export function createNumberSurvey(tree: Struct) {
  const columns = new Map(openNumbers(tree).map((leaf) => [leaf, numberColumn(leaf)]));
  if (columns.size === 0) return undefined;

  /** The part of the tree that leads to open numbers. */
  function openPart(node: Node): Node {
    if (node.kind === 'list') return { kind: 'list', item: openPart(node.item) };
    if (node.kind !== 'struct') return { ...node, read: columns.get(node)?.read as ReadScalar };
    const open = node.fields.entries().filter(([, field]) => openNumbers(field.node).length > 0);
    const fields = new Map(open.map(([key, field]) => [key, { ...field, node: openPart(field.node) }]));
    return { kind: 'struct', fields, extra: false };
  }

  const shown = { time: undefined, tree: openPart(tree) as Struct, others: [], rest: undefined };
  const readCells = createReadCells(shown, false);
  return {
    add: (entry: Buffer): void => void readCells(entry),
    /** In the order of `openNumbers`. */
    numbers: (): NumberColumn[] => [...columns.values()].map(({ column }) => column()),
  };
}

/** The type of column that holds all values read so far. */
function numberColumn({ kind }: Leaf) {
  let isInteger = kind === 'integer';
  let isDouble = true;
  return {
    column: (): NumberColumn => (isInteger ? 'integer' : isDouble ? 'number' : 'json'),
    read({ view }, type, at) {
      if (type === double) isInteger &&= fitsInt64(view.getFloat64(at, true));
      else if (type !== int32) {
        isInteger &&= type === int64;
        isDouble &&= type === int64 && fitsDouble(view.getBigInt64(at, true));
      }
      return 0;
    },
  } satisfies { column(): NumberColumn; read: ReadScalar };
}
