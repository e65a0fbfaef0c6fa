import { formatOf, isAlways, isListable, pointerOf, pointerOfItems, typesOf } from './fields.ts';
import type { Field } from './survey.ts';

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
