import type { Schema } from '@sluice/schemas/schema.ts';
import { alternativesOf, deepest, kindsOf } from './kinds.ts';
import type { SchemaParts } from './parts.ts';

/** The schema of the elements of arrays; undefined if any value may be one. */
export function elementsOf(parts: SchemaParts, all: Schema[], depth = 0): unknown {
  const found = all.flatMap((schema) => {
    const own = ownElements(parts, schema);
    const groups = depth < deepest ? alternativesOf(schema) : [];
    return [own, ...groups.map((group) => ofBranches(parts, group, depth))];
  });
  const schemas = found.filter((one) => one !== undefined);
  return schemas.length === 0 ? undefined : parts.combine('allOf', schemas);
}

function ofBranches(parts: SchemaParts, group: unknown[], depth: number): unknown {
  const lists = group.flatMap((branch) => {
    const all = parts.allOf(branch);
    return all && kindsOf(parts, all).has('array') ? [elementsOf(parts, all, depth + 1)] : [];
  });
  if (lists.length === 0 || lists.includes(undefined)) return undefined;
  return parts.combine('anyOf', lists);
}

/** A tuple is a list of what its places may hold. */
function ownElements(parts: SchemaParts, schema: Schema): unknown {
  const { items, prefixItems } = schema;
  const first = Array.isArray(items) ? items : Array.isArray(prefixItems) ? prefixItems : undefined;
  const others = Array.isArray(items) ? schema.additionalItems : items;
  if (!first) return others;
  return parts.combine('anyOf', others === false ? first : [...first, others ?? true]);
}
