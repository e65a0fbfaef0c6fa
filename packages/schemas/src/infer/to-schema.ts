import {
  formatOf,
  isAlways,
  isListable,
  isOnlyNull,
  isSuggested,
  pointerOf,
  pointerOfItems,
  typesOf,
} from './fields.ts';
import type { SampledField, TypeName } from './survey.ts';

export type JsonSchema = Record<string, unknown>;

export interface InferredChoice {
  /** Counts only where all samples have the field; else see `isSuggested`. */
  required?: boolean;
  /** One of `typeChoices`. */
  type?: TypeName;
  /** Any text is allowed, though all samples have a format. */
  anyText?: boolean;
  /** Only the values of the samples are allowed. */
  onlyThese?: boolean;
}

/** By the pointers of `fieldRows`. */
export type Choices = Readonly<Record<string, InferredChoice>>;

const oneOrAll = <T>(values: T[]) => (values.length === 1 ? values[0] : values);

function chosenTypes(field: SampledField, { type }: InferredChoice): TypeName[] {
  if (isOnlyNull(field)) return [type ?? 'string'];
  return typesOf(field).map((each) => (each === 'integer' && type === 'number' ? 'number' : each));
}

/** The JSON Schema of a surveyed field. All samples conform to it, whatever the choices. */
export function toSchema(field: SampledField, choices: Choices = {}, pointer = ''): JsonSchema {
  const choice = choices[pointer] ?? {};
  const isNullable = field.nulls > 0;
  const types = [...chosenTypes(field, choice), ...(isNullable ? ['null'] : [])];
  const format = choice.anyText ? undefined : formatOf(field);
  const values = choice.onlyThese && isListable(field) ? [...(field.values ?? [])] : [];
  const members = [...field.properties];
  const required = members.filter(
    ([name, property]) =>
      isAlways(property, field) &&
      (choices[pointerOf(pointer, name)]?.required ?? isSuggested(property, field)),
  );
  const properties = members.map(([name, property]): [string, JsonSchema] => [
    name,
    toSchema(property, choices, pointerOf(pointer, name)),
  ]);
  return {
    ...(types.length > 0 && { type: oneOrAll(types) }),
    ...(format && { format }),
    ...(values.length > 0 && { enum: isNullable ? [...values, null] : values }),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(required.length > 0 && { required: required.map(([name]) => name) }),
    ...(field.items &&
      field.items.count > 0 && { items: toSchema(field.items, choices, pointerOfItems(pointer)) }),
  };
}
