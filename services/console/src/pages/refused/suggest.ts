import { isExactNumber, nearestNumber } from '@sluice/json/numbers.ts';
import { fromPointer } from '@sluice/json/pointer.ts';
import type { RefusedGroup } from '../../api/refused.ts';
import { valueAt } from '../../json/exact.ts';
import { put, setLimit, setRequired, setType } from '../../schema-form/edits.ts';
import { nodeAt, type Path, rootOf, shapeOf } from '../../schema-form/shape.ts';
import { words } from '../../words/en.ts';

/** A change of the schema that lets the uploads of a group in. */
export interface SchemaFix {
  label: string;
  /** The new text of the schema. */
  schema: string;
}

const say = words.refused.fixes;

/** Where the schema says what is at a place of payloads, as far as `properties` and `items` lead there. */
function schemaPath(text: string, keys: string[]): Path | undefined {
  const root = rootOf(text);
  let path: Path = [];
  for (const key of keys) {
    const below = [['properties', key], ['items']].map((each) => [...path, ...each]);
    const found = below.find((each) => root && nodeAt(root, each)?.type === 'object');
    if (!found) return undefined;
    path = found;
  }
  return path;
}

function typeOf(value: unknown): string | undefined {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const number = nearestNumber(value);
  if (number !== undefined) return Number.isInteger(number) ? 'integer' : 'number';
  return typeof value === 'string' || typeof value === 'boolean' || typeof value === 'object'
    ? typeof value
    : undefined;
}

/** Whether the text means a value of the type, so that the upload is converted rather. */
const isConvertible = (value: unknown, types: string[]): boolean =>
  (typeof value === 'string' &&
    ((types.some((type) => type === 'number' || type === 'integer') && /^\s*-?\d+(\.\d+)?\s*$/.test(value)) ||
      (types.includes('boolean') && /^\s*(true|false)\s*$/i.test(value)))) ||
  (nearestNumber(value) !== undefined && types.length === 1 && types[0] === 'string');

interface FixParts {
  text: string;
  path: Path;
  value: unknown;
}

/** The types that the schema has at a place of payloads; empty if it says nothing there. */
export function typesAt(text: string, pointer: string): string[] {
  const root = rootOf(text);
  const path = schemaPath(text, fromPointer(pointer));
  const node = root && path && nodeAt(root, path);
  const shape = node && shapeOf(node, text);
  return shape ? [...shape.types, ...(shape.isNullable ? ['null'] : [])] : [];
}

function typeFix({ text, path, value }: FixParts): SchemaFix | undefined {
  const root = rootOf(text);
  const node = root && nodeAt(root, path);
  const shape = node && shapeOf(node, text);
  const type = typeOf(value);
  if (!shape || !type || shape.types.length === 0 || isConvertible(value, shape.types)) return undefined;
  const before = [...shape.types, ...(shape.isNullable ? ['null'] : [])];
  const kept = type === 'number' ? before.filter((each) => each !== 'integer') : before;
  const label = say.type(type, before);
  if (type === 'null' && kept.length === 1)
    return { label, schema: setType(text, path, before[0] as string, true) };
  const types = [...kept, type];
  return { label, schema: put(text, [...path, 'type'], types.length === 1 ? types[0] : types) };
}

function enumFix({ text, path, value }: FixParts): SchemaFix | undefined {
  const root = rootOf(text);
  const values = (root && nodeAt(root, [...path, 'enum'])?.children) ?? [];
  const isSpaced = typeof value === 'string' && values.some((each) => each.value === value.trim());
  const isScalar = typeof value !== 'object' || isExactNumber(value);
  if (values.length === 0 || !isScalar || value === undefined || isSpaced) return undefined;
  return { label: say.value(JSON.stringify(value)), schema: put(text, [...path, 'enum', -1], value) };
}

/** The JSON texts of limits that take a value. */
const sizes: Record<string, (value: unknown) => number | string | undefined> = {
  minimum: (value) => (nearestNumber(value) === undefined ? undefined : JSON.stringify(value)),
  minLength: (value) => (typeof value === 'string' ? [...value].length : undefined),
  minItems: (value) => (Array.isArray(value) ? value.length : undefined),
};

function limitFix({ text, path, value }: FixParts, keyword: string): SchemaFix | undefined {
  const limit = sizes[keyword.replace('max', 'min')]?.(value);
  if (limit === undefined) return undefined;
  return { label: say.limit(keyword, limit), schema: setLimit(text, path, keyword, String(limit)) };
}

function fixOf(
  { path: pointer, keyword, property, example }: RefusedGroup,
  text: string,
): SchemaFix | undefined {
  const keys = fromPointer(pointer);
  const path = schemaPath(text, keys);
  if (!path) return undefined;
  const parts = { text, path, value: valueAt(example, pointer) };
  if (keyword === 'type') return typeFix(parts);
  if (keyword === 'enum') return enumFix(parts);
  if (keyword === 'required' && property !== undefined)
    return { label: say.optional(property), schema: setRequired(text, path, property, false) };
  if (keyword === 'additionalProperties' && property !== undefined)
    return { label: say.add(property), schema: put(text, [...path, 'properties', property], {}) };
  return limitFix(parts, keyword);
}

/** The change of the schema that is likely meant; undefined where the uploads are rather wrong, or nothing is known. */
export function suggestSchema(group: RefusedGroup, text: string): SchemaFix | undefined {
  const fix = fixOf(group, text);
  // A name that is cut off, or a rule elsewhere, would change nothing.
  return fix && fix.schema !== text ? fix : undefined;
}
