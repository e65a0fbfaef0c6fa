import { fromPointer } from '@sluice/json/pointer.ts';

export type Operator = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte';

export interface Condition {
  pointer: string;
  operator: Operator;
  text: string;
}

interface SchemaPart {
  type?: unknown;
  properties?: Record<string, SchemaPart>;
}

/** The value at a JSON Pointer; undefined where there is none. */
export function valueAt(value: unknown, pointer: string): unknown {
  let found = value;
  for (const key of fromPointer(pointer)) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}

/** The only type that the schema declares for a field; undefined for none or several. */
function typeOf(schema: unknown, pointer: string): string | undefined {
  let part = schema as SchemaPart | undefined;
  for (const key of fromPointer(pointer)) part = part?.properties?.[key];
  return typeof part?.type === 'string' ? part.type : undefined;
}

/** A number, a boolean or null where the text is one and the field is not declared as a string. */
function toValue(text: string, isString: boolean): unknown {
  if (isString) return text;
  if (/^(true|false|null)$/.test(text)) return JSON.parse(text);
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** The declared type of the field, if the text is no value of this type; else undefined. */
export function unmetType({ pointer, text }: Condition, schema: unknown): string | undefined {
  const type = typeOf(schema, pointer);
  const value = toValue(text, type === 'string');
  const isMet = value === null || typeof value === (type === 'integer' ? 'number' : type);
  return isMet || !['number', 'integer', 'boolean'].includes(type ?? '') ? undefined : type;
}

/** Adds a condition, in place of one on the same field with the same operator. */
export const withCondition = (conditions: Condition[], added: Condition): Condition[] => [
  ...conditions.filter(({ pointer, operator }) => pointer !== added.pointer || operator !== added.operator),
  added,
];

export function toFilter(conditions: Condition[], schema: unknown): string | undefined {
  if (conditions.length === 0) return undefined;
  const filter: Record<string, Partial<Record<Operator, unknown>>> = {};
  for (const { pointer, operator, text } of conditions) {
    const value = toValue(text, typeOf(schema, pointer) === 'string');
    filter[pointer] = { ...filter[pointer], [operator]: value };
  }
  return JSON.stringify(filter);
}
