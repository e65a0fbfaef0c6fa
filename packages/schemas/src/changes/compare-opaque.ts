import { spend } from '../budget.ts';
import { keywordsOf, type Shape } from '../check/keywords.ts';
import type { Draft } from '../draft.ts';
import { equal } from '../equality.ts';
import { followReference, isObject, type Schema } from '../schema.ts';
import { isLocal } from './parts.ts';
import type { Tell } from './report.ts';

/** Keywords whose schemas are not compared in detail, each with the keywords that depend on it. */
const opaque = [
  ['anyOf'],
  ['oneOf'],
  ['not'],
  ['if', 'then', 'else'],
  ['contains', 'minContains', 'maxContains'],
  ['propertyNames'],
  ['dependentRequired'],
  ['dependentSchemas'],
  ['dependencies'],
  ['$ref'],
];
/** Keywords whose meaning depends on all keywords beside them. */
const unevaluated = ['unevaluatedProperties', 'unevaluatedItems'];

/** Reports keywords that differ, where the effect on payloads is unknown. All schemas of a list apply. */
export function compareOpaque(before: Schema[], after: Schema[], isSame: SameSchema, tell: Tell): void {
  for (const [keyword = '', ...beside] of opaque) {
    const was = picked(before, keyword, beside);
    const is = picked(after, keyword, beside);
    const gone = was.filter((schema) => !is.some((other) => isSame(schema, other)));
    const added = is.filter((schema) => !was.some((other) => isSame(other, schema)));
    if (gone.length > 0 && added.length > 0) tell('changed', `${keyword} is different`);
    else if (added.length > 0) tell('stricter', `${keyword} is new`);
    else if (gone.length > 0) tell('looser', `${keyword} is gone`);
  }
  for (const keyword of unevaluated) {
    if (![...before, ...after].some((part) => part[keyword] !== undefined)) continue;
    if (!isSame(before, after)) tell('changed', `what ${keyword} refuses may be different`);
  }
}

/** The parts that have the keyword, reduced to it and the keywords beside it. */
function picked(parts: Schema[], keyword: string, beside: string[]): Schema[] {
  return parts
    .filter((part) => part[keyword] !== undefined && !(keyword === '$ref' && isLocal(part.$ref)))
    .map((part) =>
      Object.fromEntries([keyword, ...beside].flatMap((key) => (key in part ? [[key, part[key]]] : []))),
    );
}

const compared: ReadonlySet<Shape | undefined> = new Set(['data', 'schema', 'schemas', 'reference']);

type SameSchema = (a: unknown, b: unknown) => boolean;

/** Compares parts of two schemas by the targets of their references, not by the names of the targets. */
export function createSameSchema(before: Schema, after: Schema, draft: Draft): SameSchema {
  const keywords = keywordsOf(draft);
  const keysOf = (schema: Schema) =>
    Object.keys(schema).filter((keyword) => compared.has(keywords.get(keyword)));

  return (one, other) => {
    /** The pairs that were visited, as a schema may lead back to itself. */
    const met = new Map<unknown, Set<unknown>>();
    return same(one, other);

    function same(a: unknown, b: unknown): boolean {
      spend(1);
      if (Array.isArray(a) && Array.isArray(b))
        return a.length === b.length && a.every((item, i) => same(item, b[i]));
      if (!isObject(a) || !isObject(b)) return a === b;
      const others = met.get(a) ?? new Set();
      if (others.has(b)) return true;
      met.set(a, others.add(b));
      return everySame(keysOf(a), keysOf(b), (keyword) =>
        sameKeyword(keywords.get(keyword), a[keyword], b[keyword]),
      );
    }

    function sameKeyword(shape: Shape | undefined, a: unknown, b: unknown): boolean {
      if (shape === 'data') return equal(a, b);
      if (shape === 'reference') return sameTarget(a, b);
      if (shape === 'schemas' && isObject(a) && isObject(b))
        return everySame(Object.keys(a), Object.keys(b), (name) => same(a[name], b[name]));
      return same(a, b);
    }

    function sameTarget(a: unknown, b: unknown): boolean {
      const [from, to] = [followReference(before, a), followReference(after, b)];
      return from === undefined || to === undefined ? a === b : same(from, to);
    }
  };
}

function everySame(a: string[], b: string[], isSame: (key: string) => boolean): boolean {
  const others = new Set(b);
  return a.length === b.length && a.every((key) => others.has(key) && isSame(key));
}
