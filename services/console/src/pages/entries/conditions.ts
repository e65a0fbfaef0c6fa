export const operators = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte'] as const;
export type Operator = (typeof operators)[number];

export interface Condition {
  /** JSON Pointer of the field. */
  pointer: string;
  operator: Operator;
  /** As it was typed. */
  text: string;
}

interface SchemaPart {
  type?: unknown;
  properties?: Record<string, SchemaPart>;
}

const keysOf = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));

/** What is there at a JSON Pointer; undefined where nothing is. */
export function valueAt(value: unknown, pointer: string): unknown {
  let found = value;
  for (const key of keysOf(pointer)) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}

function isText(schema: SchemaPart, pointer: string): boolean {
  let part: SchemaPart | undefined = schema;
  for (const key of keysOf(pointer)) part = part?.properties?.[key];
  return part?.type === 'string';
}

/** A number, a boolean or null where the text is one and the field is not declared as a string. */
function toValue(text: string, isString: boolean): unknown {
  if (isString) return text;
  if (/^(true|false|null)$/.test(text)) return JSON.parse(text);
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** The filter of a request; undefined without conditions. The later of two conditions with the same operator counts. */
export function toFilter(conditions: Condition[], schema: unknown): string | undefined {
  if (conditions.length === 0) return undefined;
  const filter: Record<string, Partial<Record<Operator, unknown>>> = {};
  for (const { pointer, operator, text } of conditions) {
    const value = toValue(text, isText(schema as SchemaPart, pointer));
    filter[pointer] = { ...filter[pointer], [operator]: value };
  }
  return JSON.stringify(filter);
}
