import { type Format, knownFormats } from './formats.ts';
import type { Field, TypeName } from './survey.ts';

/** `number` says `integer` too. */
export const typesOf = ({ types }: Field): TypeName[] =>
  [...types].filter((type) => type !== 'integer' || !types.has('number'));

/** The narrowest format that all strings of a field have. */
export const formatOf = ({ types, formats }: Field): Format | undefined =>
  types.has('string') ? knownFormats.find((each) => formats.has(each)) : undefined;

/** Whether it has few enough values to list, and more samples than values. */
export const isListable = ({ values, count }: Field): boolean =>
  values !== undefined && values.size > 0 && values.size < count;

/** Whether every object of the samples has it. */
export const isAlways = (property: Field, { objects }: Field): boolean => property.count === objects;

const escapeKey = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');
export const pointerOf = (above: string, property: string) => `${above}/${escapeKey(property)}`;
/** A JSON Pointer has no name for all items; `/-` is no item that exists. */
export const pointerOfItems = (above: string) => `${above}/-`;

export interface FieldRow {
  pointer: string;
  /** Undefined for the items of an array. */
  name: string | undefined;
  /** Of objects and arrays around it. */
  depth: number;
  field: Field;
  isAlways: boolean;
}

/** The fields below one, each before its own, in the order of the samples. */
export function fieldRows(parent: Field, above = '', depth = 0): FieldRow[] {
  const rows = [...parent.properties].flatMap(([name, field]) => {
    const pointer = pointerOf(above, name);
    const own = { pointer, name, depth, field, isAlways: isAlways(field, parent) };
    return [own, ...fieldRows(field, pointer, depth + 1)];
  });
  if (!parent.items) return rows;
  const pointer = pointerOfItems(above);
  const own = { pointer, name: undefined, depth, field: parent.items, isAlways: false };
  return [...rows, own, ...fieldRows(parent.items, pointer, depth + 1)];
}
