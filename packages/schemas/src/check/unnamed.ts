import { nearest } from '@sluice/shared/nearest.ts';
import { limits } from '../limits.ts';
import { append, shown } from '../refusal.ts';
import { isObject } from '../schema.ts';
import type { Walk } from './check-walk.ts';

/** Where these stand, properties may be named in other parts. */
const elsewhere = [
  ...['$ref', '$dynamicRef', '$recursiveRef', 'patternProperties', 'dependentSchemas', 'dependencies'],
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
];

/** Warnings about required names that `properties` beside them does not have: probably slips. */
export function unnamedRequired({ places }: Walk): string[] {
  const warnings: string[] = [];
  for (const [schema, { at }] of places) {
    const { properties, required, additionalProperties, unevaluatedProperties } = schema;
    if (!isObject(properties) || !Array.isArray(required)) continue;
    if (isObject(additionalProperties) || isObject(unevaluatedProperties)) continue;
    if (elsewhere.some((name) => name in schema || at.split('/').includes(name))) continue;
    for (const [place, name] of required.entries()) {
      if (typeof name !== 'string' || Object.hasOwn(properties, name)) continue;
      const meant = nearest(name, Object.keys(properties));
      const hint = meant === undefined ? '' : `; did you mean ${meant.slice(0, limits.shownName)}?`;
      const where = shown(append(append(at, 'required'), String(place)));
      warnings.push(`${where} names ${name.slice(0, limits.shownName)}, which is not in properties${hint}`);
    }
  }
  return warnings;
}
