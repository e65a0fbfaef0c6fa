import { spend } from '../budget.ts';
import { linearRegExp } from '../patterns/linear-regexp.ts';
import { followReference, isObject, type Schema } from '../schema.ts';

/** All schemas that apply to one value, including those by `$ref` and `allOf`. `never`: one of them is `false`. */
export interface Conjunction {
  parts: Schema[];
  never: boolean;
}

/** References in `root` must be pointers. */
export function conjunction(root: Schema, given: unknown[]): Conjunction {
  const all = new Set(given);
  // The loop also visits schemas that it adds.
  for (const part of all) {
    spend(1);
    if (!isObject(part)) continue;
    const target = followReference(root, part.$ref);
    if (target !== undefined) all.add(target);
    for (const member of Array.isArray(part.allOf) ? part.allOf : []) all.add(member);
  }
  return { parts: [...all].filter(isObject).filter(asksItself), never: all.has(false) };
}

/** Whether a schema has keywords besides the references to other parts. */
function asksItself({ $ref, allOf, ...own }: Schema): boolean {
  return Object.keys(own).length > 0 || !isLocal($ref);
}

/** False for a reference to the meta-schema of a draft. */
export const isLocal = ($ref: unknown) => typeof $ref !== 'string' || $ref.startsWith('#');

/** The number of first elements with schemas of their own. */
export const tupleLength = (parts: Schema[]): number =>
  Math.max(0, ...parts.map((part) => tuple(part).length));

export const schemasAt = (parts: Schema[], at: number): unknown[] =>
  parts.flatMap((part) => (at < tuple(part).length ? [tuple(part)[at]] : others(part)));

export const schemasAfter = (parts: Schema[]): unknown[] => parts.flatMap(others);

/** Up to draft 2019-09, `items` can be a list, and `additionalItems` applies to the other elements. */
function tuple({ prefixItems, items }: Schema): unknown[] {
  if (Array.isArray(prefixItems)) return prefixItems;
  return Array.isArray(items) ? items : [];
}

function others({ items, additionalItems }: Schema): unknown[] {
  const schema = Array.isArray(items) ? additionalItems : items;
  return schema === undefined ? [] : [schema];
}

/** The schemas that apply to a property, given those that apply to the object. */
export const schemasOf = (parts: Schema[], name: string): unknown[] =>
  parts.flatMap((part) => {
    spend(1);
    const named = schemaNamed(part.properties, name);
    const matched = patternsOf([part]).filter(([pattern]) => linearRegExp(pattern).test(name));
    const found = [...named, ...matched.map(([, schema]) => schema)];
    return found.length > 0 ? found : additionalOf([part]);
  });

export const namesIn = (parts: Schema[]): Set<string> =>
  new Set(parts.flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : [])));

export const requiredIn = (parts: Schema[]): Set<string> =>
  new Set(parts.flatMap(({ required }) => (Array.isArray(required) ? (required as string[]) : [])));

export const patternsOf = (parts: Schema[]): [pattern: string, schema: unknown][] =>
  parts.flatMap(({ patternProperties }) =>
    isObject(patternProperties) ? Object.entries(patternProperties) : [],
  );

/** The schemas of properties that have no name in `properties` and match no pattern. */
export const additionalOf = (parts: Schema[]): unknown[] =>
  parts.flatMap(({ additionalProperties }) => additionalProperties ?? []);

/** The parts with schemas for patterns or for other properties, reduced to these schemas. */
export const unnamedIn = (parts: Schema[]): Schema[] =>
  parts
    .filter(
      ({ patternProperties, additionalProperties }) =>
        patternProperties !== undefined || additionalProperties !== undefined,
    )
    .map(({ patternProperties = {}, additionalProperties = true }) => ({
      patternProperties,
      additionalProperties,
    }));

function schemaNamed(properties: unknown, name: string): unknown[] {
  return isObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [];
}
