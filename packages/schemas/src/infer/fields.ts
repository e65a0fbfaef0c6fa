import { toPointer } from '@sluice/json/pointer.ts';
import { knownFormats, type TextFormat } from './formats.ts';
import type { SampledField, TypeName } from './survey.ts';

/** The types besides null. `number` includes `integer`; a field that was only null is taken for text. */
export function typesOf(field: SampledField): TypeName[] {
  const { types } = field;
  if (isOnlyNull(field)) return ['string'];
  return [...types].filter((type) => type !== 'null' && (type !== 'integer' || !types.has('number')));
}

export const isOnlyNull = ({ types }: SampledField): boolean => types.size === 1 && types.has('null');

/** Types to choose from, the likely one first: each takes all samples. */
export function typeChoices(field: SampledField): TypeName[] {
  if (isOnlyNull(field)) return ['string', 'number', 'integer', 'boolean', 'object', 'array'];
  return typesOf(field).includes('integer') ? ['integer', 'number'] : [];
}

/** The narrowest format that all strings of a field have. */
export const formatOf = ({ types, formats }: SampledField): TextFormat | undefined =>
  types.has('string') ? knownFormats.find((each) => formats.has(each)) : undefined;

/** Whether the values are few enough to list, and some value came twice. */
export const isListable = ({ values, count }: SampledField): boolean =>
  values !== undefined && values.size > 0 && values.size < count;

export const isAlways = (property: SampledField, { objects }: SampledField): boolean =>
  property.count === objects;

/** Whether to require a field: it always has a value. */
export const isSuggested = (property: SampledField, parent: SampledField): boolean =>
  isAlways(property, parent) && property.nulls === 0;

export const pointerOf = (above: string, property: string) => above + toPointer([property]);
/** JSON Pointer cannot name all items, so this is `/-`, which is never an existing item. */
export const pointerOfItems = (above: string) => `${above}/-`;

export interface FieldRow {
  pointer: string;
  /** Undefined for the items of an array. */
  name: string | undefined;
  /** Count of objects and arrays around the field. */
  depth: number;
  field: SampledField;
  parent: SampledField;
}

/** The fields below a field, in the order of the samples. Each comes before those below it. */
export function fieldRows(parent: SampledField, above = '', depth = 0): FieldRow[] {
  const rows = [...parent.properties].flatMap(([name, field]) => {
    const pointer = pointerOf(above, name);
    return [{ pointer, name, depth, field, parent }, ...fieldRows(field, pointer, depth + 1)];
  });
  if (!parent.items) return rows;
  const pointer = pointerOfItems(above);
  const own = { pointer, name: undefined, depth, field: parent.items, parent };
  return [...rows, own, ...fieldRows(parent.items, pointer, depth + 1)];
}
