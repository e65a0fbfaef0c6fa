import type { Schema } from '../parse-schema.ts';

/** What schemas ask of the elements of an array: those at the first places, and the others. */
export const placesIn = (parts: Schema[]): number => Math.max(0, ...parts.map((part) => tuple(part).length));

export const schemasAt = (parts: Schema[], at: number): unknown[] =>
  parts.flatMap((part) => (at < tuple(part).length ? [tuple(part)[at]] : others(part)));

export const schemasBehind = (parts: Schema[]): unknown[] => parts.flatMap(others);

/** Until draft 2019-09 a list in `items`, with the schema for the others in `additionalItems`. */
function tuple({ prefixItems, items }: Schema): unknown[] {
  if (Array.isArray(prefixItems)) return prefixItems;
  return Array.isArray(items) ? items : [];
}

function others({ items, additionalItems }: Schema): unknown[] {
  const schema = Array.isArray(items) ? additionalItems : items;
  return schema === undefined ? [] : [schema];
}
