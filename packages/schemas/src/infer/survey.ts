import { hasFormat, knownFormats, type TextFormat } from './formats.ts';
import { exactMember, isDecimal } from './number-texts.ts';

export type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

/** The values of all samples at one place. */
export interface SampledField {
  types: Set<TypeName>;
  count: number;
  nulls: number;
  objects: number;
  properties: Map<string, SampledField>;
  /** The items of all arrays here. */
  items: SampledField | undefined;
  formats: Set<TextFormat>;
  /** Distinct strings and numbers; undefined if too many to list. */
  values: Set<string | number> | undefined;
  /** For `exactJson`. */
  example: unknown;
}

/** Longest `enum` that is offered. */
const mostValues = 8;

function typeOf(value: unknown, around: object, key: string): TypeName {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number')
    return Number.isInteger(value) && !isDecimal(around, key) ? 'integer' : 'number';
  return typeof value as TypeName;
}

const newField = (): SampledField => ({
  types: new Set(),
  count: 0,
  nulls: 0,
  objects: 0,
  properties: new Map(),
  items: undefined,
  formats: new Set(knownFormats),
  values: new Set(),
  example: undefined,
});

function addValue(field: SampledField, value: string | number): void {
  field.values?.add(value);
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value);
  if (isRounded || (field.values && field.values.size > mostValues)) field.values = undefined;
}

function add(field: SampledField, value: unknown, around: object, key = ''): void {
  const type = typeOf(value, around, key);
  field.types.add(type);
  field.count += 1;
  if (value === null) field.nulls += 1;
  if (field.example === undefined || field.example === null) field.example = exactMember(around, key, value);
  if (typeof value === 'string') {
    for (const format of field.formats) if (!hasFormat(format, value)) field.formats.delete(format);
  }
  if (typeof value === 'string' || typeof value === 'number') addValue(field, value);
  else if (type !== 'null') field.values = undefined;
  if (type === 'array') {
    field.items ??= newField();
    for (const [at, item] of (value as unknown[]).entries())
      add(field.items, item, value as object, String(at));
  }
  if (type === 'object') {
    field.objects += 1;
    for (const [name, part] of Object.entries(value as object)) {
      const property = field.properties.get(name) ?? newField();
      field.properties.set(name, property);
      add(property, part, value as object, name);
    }
  }
}

export function survey(samples: object[]): SampledField {
  const root = newField();
  for (const sample of samples) add(root, sample, samples);
  return root;
}
