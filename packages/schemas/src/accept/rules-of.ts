import type { Linked } from '../check/link.ts';
import { type Runtime, runtime } from '../runtime.ts';
import { isObject, type Schema } from '../schema.ts';
import { createSharing } from '../sharing.ts';
import { everyType, ownTypes } from '../types.ts';
import { accepts, type Check, type Parts, type Rules } from './accepts.ts';
import { arrayCheck, arrayKeywords } from './array-check.ts';
import { objectCheck, objectKeywords } from './object-check.ts';
import { numberCheck, textCheck, valueCheck } from './scalar-checks.ts';

/** These have no effect, or are read with others. */
const apart = new Set(['$schema', 'definitions', 'then', 'else']);

/** Many schemas have the same small parts, such as an integer from 0 on. */
const shared = createSharing<Rules>();

/** A reference means another part in each schema, and each schema's patterns are counted. */
const isSmall = (part: Schema) =>
  !('$ref' in part || 'pattern' in part) &&
  Object.values(part).every((value) => typeof value !== 'object' && String(value).length <= longestShared);
const longestShared = 40;

/** The schema has what only generated code knows. */
class Unknown extends Error {}

/** The rules of a linked schema; undefined if it has what only generated code knows. */
export function rulesOf(
  { schema: root, tracks }: Linked,
  pattern: Runtime['pattern'] = runtime.pattern,
): Rules | undefined {
  if (tracks || hasLargeNumber(root)) return undefined;
  const known = new Map<unknown, Rules>();
  const parts: Parts = { rulesOf: unlessAny, pattern };
  try {
    return rulesOfPart(root);
  } catch (error) {
    if (error instanceof Unknown) return undefined;
    throw error;
  }

  function rulesOfPart(part: unknown): Rules {
    const found = known.get(part);
    if (found) return found;
    const rules: Rules = {
      types: part === false ? 0 : everyType,
      text: undefined,
      number: undefined,
      array: undefined,
      object: undefined,
      any: undefined,
    };
    // Set before the parts are read: a part may refer back to this one.
    known.set(part, rules);
    if (isObject(part)) fill(rules, part);
    return rules;
  }

  function unlessAny(part: unknown): Rules | undefined {
    if (part === undefined || part === true) return undefined;
    if (!isObject(part)) return rulesOfPart(part);
    if (Object.keys(part).length === 0) return undefined;
    return isSmall(part) ? shared(JSON.stringify(part), () => rulesOfPart(part)) : rulesOfPart(part);
  }

  function fill(rules: Rules, schema: Schema): void {
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
      // Formats that are not known have no effect either.
      else if (!apart.has(keyword) && keyword !== 'format') others.push(partsCheck(keyword, value, schema));
    }
    rules.text = every(texts);
    rules.number = every(numbers);
    rules.any = every(others);
  }

  /** The check of a keyword for all types. */
  function partsCheck(keyword: string, value: unknown, schema: Schema): Check<unknown> {
    if (keyword === 'const') return valueCheck([value]);
    if (keyword === 'enum') return valueCheck(value as unknown[]);
    const one = () => rulesOfPart(value);
    const all = () => (value as unknown[]).map(rulesOfPart);
    switch (keyword) {
      case '$ref':
        return allOf([rulesOfPart(target(value as string))]);
      case 'allOf':
        return allOf(all());
      case 'anyOf':
        return anyOf(all());
      case 'oneOf':
        return oneOf(all());
      case 'not':
        return not(one());
      case 'if':
        return either(one(), rulesOfPart(schema.then ?? true), rulesOfPart(schema.else ?? true));
      default:
        throw new Unknown();
    }
  }

  function target(reference: string): unknown {
    if (reference === '#') return root;
    const name = /^#\/definitions\/(\d+)$/.exec(reference)?.[1];
    if (name === undefined) throw new Unknown();
    return (root.definitions as Schema)[name];
  }
}

/** Generated code compares them in ways of its own. */
function hasLargeNumber(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER;
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint';
  return Object.values(value).some(hasLargeNumber);
}

type Combined = (value: unknown) => boolean;

function allOf(parts: Rules[]): Combined {
  return (value) => {
    for (const part of parts) if (!accepts(part, value)) return false;
    return true;
  };
}

function anyOf(parts: Rules[]): Combined {
  return (value) => {
    for (const part of parts) if (accepts(part, value)) return true;
    return false;
  };
}

function oneOf(parts: Rules[]): Combined {
  return (value) => {
    let count = 0;
    for (const part of parts) if (accepts(part, value)) count += 1;
    return count === 1;
  };
}

const not =
  (part: Rules): Combined =>
  (value) =>
    !accepts(part, value);

const either =
  (condition: Rules, then: Rules, otherwise: Rules): Combined =>
  (value) =>
    accepts(accepts(condition, value) ? then : otherwise, value);

/** All checks in one; undefined if there is none. */
const every = <Value>(checks: Check<Value>[]): Check<Value> | undefined =>
  checks.length === 0 ? undefined : checks.reduce((one, other) => (value) => one(value) && other(value));
