import { isObject } from '../is-object.ts';
import type { Schema } from '../parse-schema.ts';
import { followReference } from '../pointer.ts';
import type { Spend } from '../validate/budget.ts';

/** All schemas that apply to one value, by `$ref` and `allOf` too. `never`: one of them is `false`. */
export interface Conjunction {
  parts: Schema[];
  never: boolean;
}

/** `root`: a schema in which each reference is a pointer. */
export function conjunction(root: Schema, given: unknown[], spend: Spend): Conjunction {
  const all = new Set(given);
  // The loop comes to what is added meanwhile, too.
  for (const part of all) {
    spend(1);
    if (!isObject(part)) continue;
    const target = followReference(root, part.$ref);
    if (target !== undefined) all.add(target);
    for (const member of Array.isArray(part.allOf) ? part.allOf : []) all.add(member);
  }
  return { parts: [...all].filter(isObject).filter(asksItself), never: all.has(false) };
}

/** Whether a schema has more than others that apply too. */
function asksItself({ $ref, allOf, ...own }: Schema): boolean {
  return Object.keys(own).length > 0 || !isLocal($ref);
}

/** The other references lead to the meta-schema of a draft. */
export const isLocal = ($ref: unknown) => typeof $ref !== 'string' || $ref.startsWith('#');
