import { maxNesting } from '@sluice/json/find-issues.ts';
import { maxColumns, oncePerSchema } from '@sluice/schemas/fields/schema-fields.ts';
import { valueTypes } from '@sluice/schemas/fields/value-types.ts';
import type { Schema } from '@sluice/schemas/schema.ts';
import { isObject } from '@sluice/schemas/schema.ts';
import { numbers, types } from '@sluice/schemas/types.ts';
import { propertiesOf, restName } from '@sluice/tables/columns.ts';
import type { Leaf, LeafKind, Node, Struct, StructField } from './nodes.ts';

/** References can repeat a part of the schema many times. Nodes beyond this limit are JSON text. */
export const maxNodes = 2 * maxColumns;
/** The limit for schemas that apply to nodes: many can apply to one node. */
const maxSteps = 100_000;

interface Around {
  depth: number;
  inArray: boolean;
}

const scalars = new Map<number, LeafKind>([
  [types.string, 'string'],
  [types.boolean, 'boolean'],
  [types.integer, 'integer'],
  [types.fraction, 'number'],
  [numbers, 'number'],
]);

/** The range in which a column of this kind prints every number unchanged. */
const ranges = new Map<LeafKind, [number | bigint, number | bigint]>([
  ['integer', [-(2n ** 63n), 2n ** 63n - 1n]],
  ['number', [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]],
]);

/** Kinds of string formats. A format guarantees nothing: the survey checks all values. */
const formats = new Map<unknown, LeafKind>([
  ['date', 'date'],
  ['date-time', 'timestamp'],
]);

/**
 * Converts a JSON Schema to a tree of types for valid payloads. A node is JSON text without a guaranteed type,
 * for objects without properties, for arrays with several item types, and for recursive parts.
 */
export function typedTree(schema: Schema): Struct {
  const { typesOf, partsOf, listedValues } = valueTypes(schema);
  const isClosed = oncePerSchema(forbidsOthers);
  /** Schemas that apply to the outer values, to detect recursion. */
  const above = new Set<Schema>();
  let count = 0;
  let steps = 0;

  /** The node of a value to which all these schemas apply. */
  function nodeOf(schemas: Schema[], { depth, inArray }: Around): Node {
    count += 1;
    if (depth > maxNesting || count > maxNodes || steps > maxSteps) return { kind: 'json' };
    const parts = partsOf(schemas);
    steps += parts.size;
    const isEndless = !parts.isDisjointFrom(above);
    const set = isEndless ? 0 : schemas.reduce((common, part) => common & typesOf(part), ~types.null);
    const scalar = scalars.get(set);
    if (scalar) return leafOf(scalar, parts);
    if (set === types.object) {
      const struct = structOf(parts, { depth: depth + 1, inArray });
      if (struct.fields.size > 0) return struct;
    }
    if (set === types.array) {
      const item = within(parts, () => nodeOf(itemsOf(parts), { depth: depth + 1, inArray: true }));
      if (item.kind !== 'json') return { kind: 'list', item };
    }
    return { kind: 'json' };
  }

  function structOf(parts: Set<Schema>, around: Around): Struct {
    const fields = new Map<string, StructField>();
    within(parts, () => {
      for (const [name, schemas] of propertiesOf(parts))
        fields.set(name, { name, node: nodeOf(schemas, around) });
    });
    const extra = around.inArray && ![...parts].some(isClosed) ? restName(fields.keys()) : undefined;
    return { kind: 'struct', fields, extra };
  }

  function leafOf(kind: LeafKind, parts: Set<Schema>): Leaf {
    const format = [...parts].map((part) => formats.get(part.format)).find((found) => found !== undefined);
    if (kind === 'string' && format) return { kind: format, open: 'any' };
    return isOpen(kind, parts) ? { kind, open: 'large' } : { kind };
  }

  /** Whether these schemas allow numbers that the kind does not hold. */
  function isOpen(kind: LeafKind, parts: Set<Schema>): boolean {
    const range = ranges.get(kind);
    if (range === undefined) return false;
    const [least, most] = range;
    const isHeld = (value: unknown) => !isNumber(value) || (value >= least && value <= most);
    let hasLow = false;
    let hasHigh = false;
    for (const part of parts) {
      if (listedValues(part).some((values) => values.every(isHeld))) return false;
      const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = part;
      hasLow ||= [minimum, exclusiveMinimum].filter(isNumber).some((bound) => bound >= least);
      hasHigh ||= [maximum, exclusiveMaximum].filter(isNumber).some((bound) => bound <= most);
    }
    return !hasLow || !hasHigh;
  }

  /** Runs `make` for the inner values; these schemas count as outer schemas meanwhile. */
  function within<Made>(parts: Set<Schema>, make: () => Made): Made {
    for (const part of parts) above.add(part);
    const made = make();
    for (const part of parts) above.delete(part);
    return made;
  }

  return structOf(partsOf([schema]), { depth: 1, inArray: false });
}

const isNumber = (value: unknown) => typeof value === 'number' || typeof value === 'bigint';

/** The schemas that apply to every item; after a tuple, `items` does not. */
function itemsOf(parts: Set<Schema>): Schema[] {
  return [...parts]
    .filter(({ prefixItems }) => !prefixItems)
    .map(({ items }) => items)
    .filter(isObject);
}

function forbidsOthers({ additionalProperties, patternProperties }: Schema): boolean {
  return (
    additionalProperties === false && !(isObject(patternProperties) && Object.keys(patternProperties).length)
  );
}
