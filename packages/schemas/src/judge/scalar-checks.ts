import { spend } from '../budget.ts';
import { equal } from '../equality.ts';
import { formats } from '../formats/formats.ts';
import { isMultiple } from '../multiple.ts';
import type { LinearRegExp } from '../patterns/linear-regexp.ts';
import type { Schema } from '../schema.ts';
import type { Check } from './accepts.ts';

type Numeric = number | bigint;

/** The check of a keyword for strings; undefined for other keywords. */
export function textCheck(
  keyword: string,
  value: unknown,
  patternOf: (source: string) => LinearRegExp,
): Check<string> | undefined {
  if (keyword === 'minLength') return (text) => lengthOf(text) >= (value as number);
  if (keyword === 'maxLength') return (text) => lengthOf(text) <= (value as number);
  if (keyword === 'pattern') {
    const pattern = patternOf(value as string);
    return (text) => pattern.test(text);
  }
  const format = keyword === 'format' ? formats[value as string] : undefined;
  return typeof format === 'function' ? format : undefined;
}

/** The check of a keyword for numbers; undefined for other keywords. */
export function numberCheck(
  keyword: string,
  value: unknown,
  { exclusiveMinimum, exclusiveMaximum }: Schema,
): Check<Numeric> | undefined {
  const bound = value as number;
  switch (keyword) {
    case 'minimum':
      return exclusiveMinimum === true ? (number) => number > bound : (number) => number >= bound;
    case 'maximum':
      return exclusiveMaximum === true ? (number) => number < bound : (number) => number <= bound;
    // In draft 04 these are booleans beside the others.
    case 'exclusiveMinimum':
      return typeof value === 'boolean' ? () => true : (number) => number > bound;
    case 'exclusiveMaximum':
      return typeof value === 'boolean' ? () => true : (number) => number < bound;
    case 'multipleOf':
      return (number) => isMultiple(number, bound);
    case 'format': {
      const format = formats[value as string];
      return typeof format === 'object' ? format.validate : undefined;
    }
    default:
      return undefined;
  }
}

/** One of these values. */
export function valueCheck(values: unknown[]): Check<unknown> {
  const isScalar = (value: unknown) => typeof value !== 'object' || value === null;
  const scalars = new Set(values.filter(isScalar));
  const others = values.filter((value) => !isScalar(value));
  if (others.length === 0) return (value) => scalars.has(value);
  return (value) => (isScalar(value) ? scalars.has(value) : others.some((other) => equal(value, other)));
}

function lengthOf(text: string): number {
  spend(1 + text.length / 2);
  return codePoints(text);
}

/** The length of a text in code points, which JSON Schema counts, not UTF-16 units. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800 || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue;
    count--;
    at++;
  }
  return count;
}
