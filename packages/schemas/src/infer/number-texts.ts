import { exactNumber } from '@sluice/json/numbers.ts';

/** The texts of numbers that say more than their values, by the object or array around them. */
const texts = new WeakMap<object, Map<string, string>>();

/** A reviver for `parseJson`. Where a program cannot tell the text of a number, `12.0` counts as 12. */
export function noteNumbers(
  this: unknown,
  key: string,
  value: unknown,
  { source }: { source?: string } = {},
): unknown {
  if (typeof value === 'number' && source !== undefined && (source !== String(value) || /e/i.test(source))) {
    const known = texts.get(this as object) ?? new Map();
    texts.set(this as object, known.set(key, source));
  }
  return value;
}

/** Whether a whole number was written as a decimal one. */
export const isDecimal = (around: object, key: string): boolean =>
  !/^-?\d+$/.test(texts.get(around)?.get(key) ?? '0');

/** A member as JSON.stringify writes it with the digits of its text. Those below it need `exactJson`. */
export function exactMember(around: object, key: string, value: unknown): unknown {
  const text = texts.get(around)?.get(key);
  return text === undefined ? value : exactNumber(text);
}

/** JSON in which all numbers have the digits of their texts. */
export const exactJson = (value: unknown): string | undefined =>
  JSON.stringify(value, function (this: object, key: string, part: unknown) {
    return exactMember(this, key, part);
  });
