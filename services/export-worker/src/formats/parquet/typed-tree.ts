import { maxNesting } from '@sluice/json/find-issues.ts';
import { maxColumns, oncePerSchema } from '@sluice/schemas/fields/schema-fields.ts';
import { numbers, types, valueTypes } from '@sluice/schemas/fields/value-types.ts';
import type { Schema } from '@sluice/schemas/schema.ts';
import { isObject } from '@sluice/schemas/schema.ts';
import { propertiesOf, restName } from '@sluice/tables/columns.ts';
import type { Field, Leaf, LeafKind, Node, Struct } from './nodes.ts';

/** References can name the same part over and over; beyond this there is JSON text. */
export const maxNodes = 2 * maxColumns;
/** Likewise for the schemas that apply to all of these nodes: many can apply to each. */
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

/** A column of this type holds every number from the first to the second, as it is printed. */
const ranges = new Map<LeafKind, [number | bigint, number | bigint]>([
  ['integer', [-(2n ** 63n), 2n ** 63n - 1n]],
  ['number', [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER]],
]);

/** What a string of a format is. The format says it of no value for sure: it does so where all of them are. */
const formats = new Map<unknown, LeafKind>([
  ['date', 'date'],
  ['date-time', 'timestamp'],
]);

/** Whether strings in the formats of dates are dates, or text as all others. */
export type Dates = 'typed' | 'text';

/**
 * A JSON Schema as a tree of types, for payloads that are valid by it. JSON text stands where it guarantees no one
 * type, where an object has no properties or an array no items of one type, and where a part contains itself.
 */
export function typedTree(schema: Schema, dates: Dates = 'typed'): Struct {
  const { typesOf, partsOf, listedValues } = valueTypes(schema);
  const isClosed = oncePerSchema(forbidsOthers);
  /** The schemas that apply where the value is contained. */
  const above = new Set<Schema>();
  let count = 0;
  let steps = 0;

  /** Of a value to which all these schemas apply. */
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
    const fields = new Map<string, Field>();
    within(parts, () => {
      for (const [name, schemas] of propertiesOf(parts))
        fields.set(name, { name, node: nodeOf(schemas, around) });
    });
    const extra = around.inArray && ![...parts].some(isClosed) ? restName(fields.keys()) : undefined;
    return { kind: 'struct', fields, extra };
  }

  function leafOf(kind: LeafKind, parts: Set<Schema>): Leaf {
    const format = [...parts].map((part) => formats.get(part.format)).find((found) => found !== undefined);
    if (kind === 'string' && format && dates === 'typed') return { kind: format, open: 'any' };
    return isOpen(kind, parts) ? { kind, open: 'large' } : { kind };
  }

  /** Whether a kind of column may not hold all numbers to which these schemas apply. */
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

  /** Of what a value contains to which these schemas apply, none of which applies above it. */
  function within<Made>(parts: Set<Schema>, make: () => Made): Made {
    for (const part of parts) above.add(part);
    const made = make();
    for (const part of parts) above.delete(part);
    return made;
  }

  return structOf(partsOf([schema]), { depth: 1, inArray: false });
}

const isNumber = (value: unknown) => typeof value === 'number' || typeof value === 'bigint';

/** The schemas of all items; those behind a tuple are not of all. */
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
