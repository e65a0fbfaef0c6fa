import { toPointer } from '@sluice/json/pointer.ts';
import { type Format, knownFormats } from './formats.ts';
import type { Field, TypeName } from './survey.ts';

/** `number` includes `integer`. */
export const typesOf = ({ types }: Field): TypeName[] =>
  [...types].filter((type) => type !== 'integer' || !types.has('number'));

/** The narrowest format that all strings of a field have. */
export const formatOf = ({ types, formats }: Field): Format | undefined =>
  types.has('string') ? knownFormats.find((each) => formats.has(each)) : undefined;

/** Whether the values are few enough to list, and some value came twice. */
export const isListable = ({ values, count }: Field): boolean =>
  values !== undefined && values.size > 0 && values.size < count;

export const isAlways = (property: Field, { objects }: Field): boolean => property.count === objects;

export const pointerOf = (above: string, property: string) => above + toPointer([property]);
/** JSON Pointer cannot name all items, so this is `/-`, which is never an existing item. */
export const pointerOfItems = (above: string) => `${above}/-`;

export interface FieldRow {
  pointer: string;
  /** Undefined for the items of an array. */
  name: string | undefined;
  /** Count of objects and arrays around the field. */
  depth: number;
  field: Field;
  isAlways: boolean;
}

/** The fields below a field, in the order of the samples. Each comes before those below it. */
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

export type JsonSchema = Record<string, unknown>;

export interface Choice {
  /** Counts only where all samples have the field. */
  optional?: boolean;
  /** Numbers with a fraction are allowed, though the samples have integers. */
  fractions?: boolean;
  /** Any text is allowed, though all samples have a format. */
  anyText?: boolean;
  /** Only the values of the samples are allowed. */
  onlyThese?: boolean;
}

export type Choices = Readonly<Record<string, Choice>>;

const oneOrAll = <T>(values: T[]) => (values.length === 1 ? values[0] : values);

/** The JSON Schema of a surveyed field. All samples conform to it, whatever the choices. */
export function toSchema(field: Field, choices: Choices, pointer = ''): JsonSchema {
  const choice = choices[pointer] ?? {};
  const types = typesOf(field).map((type) => (type === 'integer' && choice.fractions ? 'number' : type));
  const format = choice.anyText ? undefined : formatOf(field);
  const values = choice.onlyThese && isListable(field) ? [...(field.values ?? [])] : [];
  const names = [...field.properties.keys()];
  const required = names.filter((name) => {
    const property = field.properties.get(name) as Field;
    return isAlways(property, field) && !choices[pointerOf(pointer, name)]?.optional;
  });
  const properties = names.map((name): [string, JsonSchema] => [
    name,
    toSchema(field.properties.get(name) as Field, choices, pointerOf(pointer, name)),
  ]);
  return {
    ...(types.length > 0 && { type: oneOrAll(types) }),
    ...(format && { format }),
    ...(values.length > 0 && { enum: types.includes('null') ? [...values, null] : values }),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(required.length > 0 && { required }),
    ...(field.items &&
      field.items.count > 0 && { items: toSchema(field.items, choices, pointerOfItems(pointer)) }),
  };
}
