import { isObject, type Schema } from '@sluice/schemas/schema.ts';
import type { SchemaParts } from './parts.ts';

export const everyKind = ['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'] as const;

export type Kind = (typeof everyKind)[number];

/** Branches of branches are looked at to this depth. */
export const deepest = 6;

/** Sets of schemas of which a payload meets one each. */
export function alternativesOf(schema: Schema): unknown[][] {
  const { oneOf, anyOf, if: condition, dependentSchemas, dependencies } = schema;
  const groups = [oneOf, anyOf].filter(Array.isArray) as unknown[][];
  const { then: met = true, else: unmet = true } = schema as { then?: unknown; else?: unknown };
  if (condition !== undefined) groups.push([met, unmet]);
  for (const dependents of [dependentSchemas, dependencies])
    if (isObject(dependents))
      for (const one of Object.values(dependents)) if (!Array.isArray(one)) groups.push([one, true]);
  return groups;
}

/** The values that `enum` or `const` lists; undefined if any value may conform. */
export function listedBy(parts: SchemaParts, all: Schema[], depth = 0): unknown[] | undefined {
  let listed: unknown[] | undefined;
  const meet = (values: unknown[] | undefined) => {
    if (!values) return;
    const others = new Set(values.map(identity));
    listed = listed ? listed.filter((value) => others.has(identity(value))) : values;
  };
  for (const schema of all) {
    if (Array.isArray(schema.enum)) meet(schema.enum);
    if ('const' in schema) meet([schema.const]);
    if (depth < deepest) for (const group of alternativesOf(schema)) meet(listedByOne(parts, group, depth));
  }
  return listed;
}

function listedByOne(parts: SchemaParts, group: unknown[], depth: number): unknown[] | undefined {
  const lists = group.map((branch) => {
    const all = parts.allOf(branch);
    return all ? listedBy(parts, all, depth + 1) : [];
  });
  return lists.every((list) => list !== undefined) ? lists.flat() : undefined;
}

/** What kinds of values conform. */
export function kindsOf(parts: SchemaParts, all: Schema[], depth = 0): Set<Kind> {
  const listed = listedBy(parts, all, depth);
  let kinds = new Set<Kind>(listed?.flatMap(kindsOfValue) ?? everyKind);
  for (const schema of all) {
    if (schema.type !== undefined) kinds = kinds.intersection(kindsOfType(schema.type));
    if (depth < deepest)
      for (const group of alternativesOf(schema))
        kinds = kinds.intersection(
          new Set(
            group.flatMap((branch) => {
              const own = parts.allOf(branch);
              return own ? [...kindsOf(parts, own, depth + 1)] : [];
            }),
          ),
        );
  }
  return kinds;
}

function kindsOfType(type: unknown): Set<Kind> {
  const kinds = new Set((Array.isArray(type) ? type : [type]) as Kind[]);
  if (kinds.has('number')) kinds.add('integer');
  return kinds;
}

export function kindsOfValue(value: unknown): Kind[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  if (typeof value === 'bigint') return ['integer'];
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer'] : ['number'];
  return [typeof value as Kind];
}

const identity = (value: unknown) =>
  JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? `${part}n` : part));
