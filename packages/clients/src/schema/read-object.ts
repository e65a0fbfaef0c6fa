import { isObject, type Schema } from '@sluice/schemas/schema.ts';
import { alternativesOf, deepest, kindsOf } from './kinds.ts';
import type { SchemaParts } from './parts.ts';

export interface ObjectShape {
  properties: Map<string, unknown>;
  required: Set<string>;
  /** Schemas of members with other names, if the schema has any. */
  others: unknown[];
  isClosed: boolean;
}

/** What objects that conform to all of these schemas have. Of alternatives, the properties of each. */
export function readObject(parts: SchemaParts, all: Schema[], depth = 0): ObjectShape {
  const own = all.map(ownShape);
  const shape: ObjectShape = {
    properties: gather(own, (schemas) => parts.combine('allOf', schemas)),
    required: new Set(own.flatMap(({ required }) => [...required])),
    others: own.flatMap(({ others }) => others),
    isClosed: own.some(({ isClosed }) => isClosed),
  };
  if (depth < deepest)
    for (const group of all.flatMap(alternativesOf)) addBranches(parts, shape, group, depth);
  return shape;
}

function addBranches(parts: SchemaParts, shape: ObjectShape, group: unknown[], depth: number): void {
  const branches = group.flatMap((branch) => {
    const all = parts.allOf(branch);
    return all && kindsOf(parts, all).has('object') ? [readObject(parts, all, depth + 1)] : [];
  });
  const added = gather(branches, (schemas) => parts.combine('anyOf', schemas));
  for (const [key, schema] of added) {
    const base = shape.properties.get(key);
    const isEverywhere = branches.every(({ properties }) => properties.has(key));
    if (base === undefined) shape.properties.set(key, schema);
    else if (isEverywhere) shape.properties.set(key, parts.combine('allOf', [base, schema]));
  }
  const [first, ...rest] = branches.map(({ required }) => required);
  const always = rest.reduce((both, required) => both.intersection(required), first ?? new Set());
  shape.required = shape.required.union(always);
  shape.others.push(...branches.flatMap(({ others }) => others));
  if (branches.length > 0 && branches.every(({ isClosed }) => isClosed)) shape.isClosed = true;
}

function ownShape(schema: Schema): ObjectShape {
  const { properties, required, patternProperties } = schema;
  const rest = [schema.additionalProperties, schema.unevaluatedProperties];
  const patterns = isObject(patternProperties) ? Object.values(patternProperties) : [];
  return {
    properties: new Map(isObject(properties) ? Object.entries(properties) : []),
    required: new Set(Array.isArray(required) ? required.filter((key) => typeof key === 'string') : []),
    others: [...patterns, ...rest.filter((one) => one !== undefined)].filter((one) => one !== false),
    isClosed: rest.includes(false) && patterns.length === 0,
  };
}

/** The schemas of each property, as one. */
function gather(shapes: ObjectShape[], combine: (schemas: unknown[]) => unknown): Map<string, unknown> {
  const found = new Map<string, unknown[]>();
  for (const { properties } of shapes)
    for (const [key, schema] of properties) found.set(key, [...(found.get(key) ?? []), schema]);
  return new Map(Array.from(found, ([key, schemas]) => [key, combine(schemas)]));
}
