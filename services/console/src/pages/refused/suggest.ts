import { isExactNumber, nearestNumber } from '@sluice/json/numbers.ts';
import { fromPointer } from '@sluice/json/pointer.ts';
import type { RefusedGroup } from '../../api/refused.ts';
import { drop, put, setLimit, setRequired, setType } from '../../schema-form/edits.ts';
import { nodeAt, type Path, rootOf, shapeOf } from '../../schema-form/shape.ts';
import { words } from '../../words/en.ts';
import { allTypes, schemaPath } from './schema-at.ts';
import type { Values } from './suggest-change.ts';

/** A change of the schema that lets the uploads of a group in. */
export interface SchemaFix {
  label: string;
  /** What it means for entries. */
  effect: string;
  /** The new text of the schema. */
  schema: string;
}

const say = words.refused.fixes;

export function typeOf(value: unknown): string | undefined {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const number = nearestNumber(value);
  if (number !== undefined) return Number.isInteger(number) ? 'integer' : 'number';
  return typeof value === 'string' || typeof value === 'boolean' || typeof value === 'object'
    ? typeof value
    : undefined;
}

interface FixParts {
  text: string;
  path: Path;
  name: string;
  values: unknown[];
}

/** The types of values; whole numbers among decimals are numbers. */
function typesOf(values: unknown[]): string[] {
  const types = [...new Set(values.map(typeOf).filter((type) => type !== undefined))];
  return types.includes('number') ? types.filter((type) => type !== 'integer') : types;
}

function typeFix({ text, path, name, values }: FixParts): SchemaFix | undefined {
  const root = rootOf(text);
  const node = root && nodeAt(root, path);
  const shape = node && shapeOf(node, text);
  if (!shape || shape.types.length === 0) return undefined;
  const before = allTypes(shape);
  const added = typesOf(values).filter((type) => !before.includes(type));
  if (added.length === 0) return undefined;
  const kept = added.includes('number') ? before.filter((each) => each !== 'integer') : before;
  const label = say.type(added, before);
  const effect = say.typeEffect(name, added);
  if (added[0] === 'null' && added.length === 1 && kept.length === 1)
    return { label, effect, schema: setType(text, path, before[0] as string, true) };
  const types = [...kept, ...added];
  return { label, effect, schema: put(text, [...path, 'type'], types.length === 1 ? types[0] : types) };
}

function enumFix({ text, path, values }: FixParts): SchemaFix | undefined {
  const root = rootOf(text);
  const listed = root && nodeAt(root, [...path, 'enum'])?.children;
  const scalars = values.filter(
    (value) => typeof value !== 'object' || value === null || isExactNumber(value),
  );
  if (!listed || listed.length === 0 || scalars.length === 0) return undefined;
  const schema = scalars.reduce<string>((next, value) => put(next, [...path, 'enum', -1], value), text);
  return { label: say.value(scalars.map((value) => JSON.stringify(value))), effect: say.valueEffect, schema };
}

type Size = (value: unknown) => number | undefined;

const sizes: Record<string, Size> = {
  minimum: nearestNumber,
  minLength: (value) => (typeof value === 'string' ? [...value].length : undefined),
  minItems: (value) => (Array.isArray(value) ? value.length : undefined),
};

type Ranges = Pick<Values, 'numbers' | 'sizes'>;

function limitFix({ text, path, values }: FixParts, keyword: string, ranges: Ranges): SchemaFix | undefined {
  const sizeOf = sizes[keyword.replace('max', 'min')];
  if (!sizeOf) return undefined;
  const isMost = keyword.startsWith('max');
  const range = keyword.endsWith('imum') ? ranges.numbers : ranges.sizes;
  const sorted = values
    .filter((value) => sizeOf(value) !== undefined)
    .sort((a, b) => (sizeOf(a) as number) - (sizeOf(b) as number));
  const value = isMost ? sorted.at(-1) : sorted[0];
  const bound = isMost ? range?.max : range?.min;
  if (value === undefined && bound === undefined) return undefined;
  // The value itself keeps its digits.
  const isSame = value !== undefined && (bound === undefined || sizeOf(value) === bound);
  const limit = isSame && keyword.endsWith('imum') ? JSON.stringify(value) : String(bound ?? sizeOf(value));
  return {
    label: say.limit(keyword, limit),
    effect: say.limitEffect,
    schema: setLimit(text, path, keyword, limit),
  };
}

function fixOf(
  { path: pointer, keyword, property }: RefusedGroup,
  found: Values,
  text: string,
): SchemaFix | undefined {
  const keys = fromPointer(pointer);
  const path = schemaPath(text, keys);
  if (!path) return undefined;
  const values = found.values.map(({ value }) => value);
  const parts = { text, path, name: keys.at(-1) ?? '', values };
  if (keyword === 'type') return typeFix(parts);
  if (keyword === 'enum') return enumFix(parts);
  if (keyword === 'format' || keyword === 'pattern')
    return {
      label: say.anyText,
      effect: say.anyTextEffect(parts.name),
      schema: drop(text, [...path, keyword]),
    };
  if (keyword === 'required' && property !== undefined) {
    const schema = setRequired(text, path, property, false);
    return { label: say.optional(property), effect: say.optionalEffect(property), schema };
  }
  if (keyword === 'additionalProperties' && property !== undefined) {
    const [type, ...others] = typesOf(values);
    const schema = put(text, [...path, 'properties', property], type && others.length === 0 ? { type } : {});
    return { label: say.add(property), effect: say.addEffect(property), schema };
  }
  return limitFix(parts, keyword, found);
}

/** The change of the schema that would let most of a group in; undefined where nothing is known. */
export function suggestSchema(group: RefusedGroup, found: Values, text: string): SchemaFix | undefined {
  const fix = fixOf(group, found, text);
  // A name that is cut off, or a rule elsewhere, would change nothing.
  return fix && fix.schema !== text ? fix : undefined;
}
