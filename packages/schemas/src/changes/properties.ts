import { isObject } from '../is-object.ts';
import type { Schema } from '../parse-schema.ts';
import type { Spend } from '../validate/budget.ts';
import { type LinearRegExp, linearRegExp } from '../validate/linear-regexp.ts';

/** Gives the schemas that apply to a property with a name, of those that apply to the object. */
export function createSchemasOf(spend: Spend): (parts: Schema[], name: string) => unknown[] {
  const expressions = new Map<string, LinearRegExp>();

  function matches(pattern: string, name: string): boolean {
    const expression = expressions.get(pattern) ?? linearRegExp(pattern, spend);
    expressions.set(pattern, expression);
    return expression.test(name);
  }

  return (parts, name) =>
    parts.flatMap((part) => {
      spend(1);
      const named = schemaNamed(part.properties, name);
      const matched = patternsOf([part]).filter(([pattern]) => matches(pattern, name));
      const found = [...named, ...matched.map(([, schema]) => schema)];
      return found.length > 0 ? found : additionalOf([part]);
    });
}

export const namesIn = (parts: Schema[]): Set<string> =>
  new Set(parts.flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : [])));

export const requiredIn = (parts: Schema[]): Set<string> =>
  new Set(parts.flatMap(({ required }) => (Array.isArray(required) ? (required as string[]) : [])));

export const patternsOf = (parts: Schema[]): [pattern: string, schema: unknown][] =>
  parts.flatMap(({ patternProperties }) =>
    isObject(patternProperties) ? Object.entries(patternProperties) : [],
  );

/** The schemas for properties that are not named, and match no pattern. */
export const additionalOf = (parts: Schema[]): unknown[] =>
  parts.flatMap(({ additionalProperties }) => additionalProperties ?? []);

/** Those that ask something of properties by pattern, or of properties that they do not name. */
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
