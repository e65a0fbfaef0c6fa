import type { Draft } from '../draft.ts';
import { findDuplicate } from '../equality.ts';
import type { Schema } from '../schema.ts';
import { accepts, type Check } from './accepts.ts';
import type { Parts } from './rules-of.ts';

export const arrayKeywords = new Set([
  ...['items', 'prefixItems', 'additionalItems', 'minItems', 'maxItems', 'uniqueItems'],
  ...['contains', 'minContains', 'maxContains'],
]);

/** The check of all keywords for arrays but `unevaluatedItems`. */
export function arrayCheck(schema: Schema, { draft, rulesOf, rulesUnlessAny }: Parts): Check<unknown[]> {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema as Record<string, number>;
  const isUnique = schema.uniqueItems === true;
  const isTuple = Array.isArray(schema.items);
  const first = ((isTuple ? schema.items : schema.prefixItems) ?? []) as unknown[];
  const rules = first.map(rulesUnlessAny);
  const others = isTuple ? schema.additionalItems : schema.items;
  const rest = rulesUnlessAny(others);
  const evaluated = others === undefined ? first.length : Number.POSITIVE_INFINITY;
  const contains =
    schema.contains === undefined ? undefined : containsCheck(schema, draft, rulesOf(schema.contains));
  return (items, seen) => {
    if (items.length < minItems || items.length > maxItems) return false;
    const end = rest ? items.length : Math.min(items.length, rules.length);
    for (let i = 0; i < end; i++) {
      const own = i < rules.length ? rules[i] : rest;
      if (own && !accepts(own, items[i], undefined)) return false;
    }
    if (isUnique && findDuplicate(items)) return false;
    seen?.addItems(evaluated);
    return contains === undefined || contains(items, seen);
  };
}

function containsCheck(
  { minContains = 1, maxContains = Number.POSITIVE_INFINITY }: Schema,
  draft: Draft,
  rules: ReturnType<Parts['rulesOf']>,
): Check<unknown[]> {
  // In draft 2019-09, 9.3.1.3, it evaluates nothing.
  const evaluates = draft === '2020-12';
  return (items, seen) => {
    let count = 0;
    for (let i = 0; i < items.length; i++) {
      if (!accepts(rules, items[i], undefined)) continue;
      count += 1;
      if (evaluates) seen?.addPlace(i);
    }
    return count >= (minContains as number) && count <= (maxContains as number);
  };
}
