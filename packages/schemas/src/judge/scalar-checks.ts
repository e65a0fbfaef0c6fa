import { type Runtime, runtime } from '../runtime.ts';
import type { Schema } from '../schema.ts';
import type { Check } from './accepts.ts';

type Numeric = number | bigint;

/** The check of a keyword for strings; undefined for other keywords. */
export function textCheck(
  keyword: string,
  value: unknown,
  patternOf: Runtime['pattern'],
): Check<string> | undefined {
  if (keyword === 'minLength') return (text) => runtime.ucs2length(text) >= (value as number);
  if (keyword === 'maxLength') return (text) => runtime.ucs2length(text) <= (value as number);
  if (keyword === 'pattern') {
    const pattern = patternOf(value as string);
    return (text) => pattern.test(text);
  }
  const format = keyword === 'format' ? runtime.formats[value as string] : undefined;
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
      return (number) => runtime.isMultiple(number, bound);
    case 'format': {
      const format = runtime.formats[value as string];
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
  return (value) =>
    isScalar(value) ? scalars.has(value) : others.some((other) => runtime.equal(value, other));
}
