import { runtime } from '../runtime.ts';
import type { Schema } from '../schema.ts';
import { accepts, type Check, type Parts } from './accepts.ts';

export const arrayKeywords = new Set([
  ...['items', 'prefixItems', 'additionalItems', 'minItems', 'maxItems', 'uniqueItems'],
  ...['contains', 'minContains', 'maxContains'],
]);

/** The check of all keywords for arrays. */
export function arrayCheck(schema: Schema, { rulesOf }: Parts): Check<unknown[]> {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema as Record<string, number>;
  const isUnique = schema.uniqueItems === true;
  const isTuple = Array.isArray(schema.items);
  const first = ((isTuple ? schema.items : schema.prefixItems) ?? []) as unknown[];
  const rules = first.map(rulesOf);
  const rest = rulesOf(isTuple ? schema.additionalItems : schema.items);
  const contains = containsCheck(schema, rulesOf);
  return (items) => {
    if (items.length < minItems || items.length > maxItems) return false;
    const end = rest ? items.length : Math.min(items.length, rules.length);
    for (let i = 0; i < end; i++) {
      const own = i < rules.length ? rules[i] : rest;
      if (own && !accepts(own, items[i])) return false;
    }
    if (isUnique && runtime.findDuplicate(items)) return false;
    return contains === undefined || contains(items);
  };
}

function containsCheck(schema: Schema, rulesOf: Parts['rulesOf']): Check<unknown[]> | undefined {
  if (schema.contains === undefined) return undefined;
  const rules = rulesOf(schema.contains);
  const { minContains = 1, maxContains = Number.POSITIVE_INFINITY } = schema as Record<string, number>;
  return (items) => {
    const { length } = rules ? items.filter((item) => accepts(rules, item)) : items;
    return length >= minContains && length <= maxContains;
  };
}
