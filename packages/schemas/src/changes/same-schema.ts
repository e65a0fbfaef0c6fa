import { keywordsOf, type Shape } from '../check/keywords.ts';
import type { Draft } from '../draft.ts';
import { isObject } from '../is-object.ts';
import type { Schema } from '../parse-schema.ts';
import { followReference } from '../pointer.ts';
import type { Spend } from '../validate/budget.ts';
import { createEqual } from '../validate/equal.ts';

const compared: ReadonlySet<Shape | undefined> = new Set(['data', 'schema', 'schemas', 'reference']);

export type SameSchema = (a: unknown, b: unknown) => boolean;

/** Tells whether a part of one schema is the same as a part of another, whatever their references are called. */
export function createSameSchema(before: Schema, after: Schema, draft: Draft, spend: Spend): SameSchema {
  const keywords = keywordsOf(draft);
  const equal = createEqual(spend);
  const keysOf = (schema: Schema) =>
    Object.keys(schema).filter((keyword) => compared.has(keywords.get(keyword)));

  return (one, other) => {
    /** Pairs that were met: a schema may lead back to itself. */
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
