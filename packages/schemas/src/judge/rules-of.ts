import { type Draft, draftOf } from '../draft.ts';
import { type LinearRegExp, linearRegExp } from '../patterns/linear-regexp.ts';
import { isObject, type Schema } from '../schema.ts';
import { createSharing } from '../sharing.ts';
import { everyType, ownTypes } from '../types.ts';
import type { Check, Rules } from './accepts.ts';
import { arrayCheck, arrayKeywords } from './array-check.ts';
import { objectCheck, objectKeywords } from './object-check.ts';
import { allOf, anyOf, ifThenElse, not, oneOf } from './parts-check.ts';
import { numberCheck, textCheck, valueCheck } from './scalar-checks.ts';
import { unevaluatedCheck } from './unevaluated-check.ts';

/** What the parts of a schema become. */
export interface Parts {
  draft: Draft;
  rulesOf(part: unknown): Rules;
  /** Undefined if a part is absent or accepts everything. */
  rulesUnlessAny(part: unknown): Rules | undefined;
  pattern(source: string): LinearRegExp;
}

/** Many schemas have the same small parts, such as an integer from 0 on. */
const shared = createSharing<Rules>();

/** A reference means another part in each schema, and each schema's patterns are counted. */
const isSmall = (part: Schema) =>
  !('$ref' in part || 'pattern' in part) && Object.values(part).every(isShort);
const isShort = (value: unknown) =>
  typeof value !== 'object' && typeof value !== 'bigint' && String(value).length <= longestShared;
const longestShared = 40;

/** The rules of a schema from `link`. */
export const rulesOf = (root: Schema, pattern?: Parts['pattern']): Rules => rulesWithin(root, pattern)(root);

/** Makes the rules of a part that stands within a schema from `link`. */
export function rulesWithin(
  root: Schema,
  pattern: Parts['pattern'] = linearRegExp,
): (part: unknown) => Rules {
  const draft = draftOf(root.$schema) ?? '2020-12';
  const known = new Map<unknown, Rules>();
  const todo: [Rules, Schema][] = [];
  const parts: Parts = { draft, rulesOf: rulesOfPart, rulesUnlessAny, pattern };
  return (part) => {
    const rules = rulesOfPart(part);
    // Not by recursion: a chain of references may be longer than the stack.
    for (let next = todo.pop(); next; next = todo.pop()) fill(...next);
    return rules;
  };

  function rulesOfPart(part: unknown): Rules {
    const found = known.get(part);
    if (found) return found;
    const made = rulesOfTypes(part === false ? 0 : everyType);
    known.set(part, made);
    if (isObject(part)) todo.push([made, part]);
    return made;
  }

  function rulesUnlessAny(part: unknown): Rules | undefined {
    if (part === undefined || part === true) return undefined;
    if (!isObject(part)) return rulesOfPart(part);
    if (Object.keys(part).length === 0) return undefined;
    if (!isSmall(part)) return rulesOfPart(part);
    return shared(draft + JSON.stringify(part), () => {
      const made = rulesOfTypes(everyType);
      fill(made, part);
      return made;
    });
  }

  function fill(rules: Rules, schema: Schema): void {
    if ('unevaluatedItems' in schema || 'unevaluatedProperties' in schema)
      rules.any = checkOfUnevaluated(schema);
    else fillPlain(rules, schema);
  }

  function checkOfUnevaluated({
    unevaluatedItems,
    unevaluatedProperties,
    ...beside
  }: Schema): Check<unknown> {
    const rulesIfAny = (part: unknown) => (part === undefined ? undefined : rulesOfPart(part));
    return unevaluatedCheck(
      rulesOfPart(beside),
      rulesIfAny(unevaluatedItems),
      rulesIfAny(unevaluatedProperties),
    );
  }

  function fillPlain(rules: Rules, schema: Schema): void {
    const texts: Check<string>[] = [];
    const numbers: Check<number | bigint>[] = [];
    const others: Check<unknown>[] = [];
    for (const [keyword, value] of Object.entries(schema)) {
      const text = textCheck(keyword, value, pattern);
      const number = text ? undefined : numberCheck(keyword, value, schema);
      if (text) texts.push(text);
      else if (number) numbers.push(number);
      else if (keyword === 'type') rules.types = ownTypes(value);
      else if (objectKeywords.has(keyword)) rules.object ??= objectCheck(schema, parts);
      else if (arrayKeywords.has(keyword)) rules.array ??= arrayCheck(schema, parts);
      else {
        const check = partsCheck(keyword, value, schema);
        if (check) others.push(check);
      }
    }
    rules.text = every(texts);
    rules.number = every(numbers);
    rules.any = every(others);
  }

  /** The check of a keyword for all types; undefined if it has no effect, or is read with others. */
  function partsCheck(keyword: string, value: unknown, schema: Schema): Check<unknown> | undefined {
    switch (keyword) {
      case 'const':
        return valueCheck([value]);
      case 'enum':
        return valueCheck(value as unknown[]);
      case '$ref':
        return allOf([rulesOfPart(target(value as string))]);
      case 'allOf':
        return allOf((value as unknown[]).map(rulesOfPart));
      case 'anyOf':
        return anyOf((value as unknown[]).map(rulesOfPart));
      case 'oneOf':
        return oneOf((value as unknown[]).map(rulesOfPart));
      case 'not':
        return not(rulesOfPart(value));
      case 'if':
        return ifThenElse(
          rulesOfPart(value),
          rulesOfPart(schema.then ?? true),
          rulesOfPart(schema.else ?? true),
        );
      default:
        return undefined;
    }
  }

  /** `link` leaves these references. */
  function target(reference: string): unknown {
    return reference === '#' ? root : (root.definitions as Schema)[reference.replace('#/definitions/', '')];
  }
}

const rulesOfTypes = (types: number): Rules => ({
  types,
  text: undefined,
  number: undefined,
  array: undefined,
  object: undefined,
  any: undefined,
});

/** All checks in one; undefined if there is none. */
const every = <Value>(checks: Check<Value>[]): Check<Value> | undefined =>
  checks.length === 0
    ? undefined
    : checks.reduce((one, other) => (value, seen) => one(value, seen) && other(value, seen));
