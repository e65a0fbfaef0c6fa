/** Members that were written as `12.0` or `1e3`, by the object or array around them. */
const decimals = new WeakMap<object, Set<string>>();

/** A reviver for `parseJson`. Where a program cannot tell the text of a number, `12.0` counts as 12. */
export function noteDecimals(
  this: unknown,
  key: string,
  value: unknown,
  { source }: { source?: string } = {},
): unknown {
  if (source !== undefined && Number.isInteger(value) && !/^-?\d+$/.test(source)) {
    const known = decimals.get(this as object) ?? new Set();
    decimals.set(this as object, known.add(key));
  }
  return value;
}

/** Whether a whole number was written as a decimal one. */
export const isDecimal = (around: object, key: string): boolean => decimals.get(around)?.has(key) ?? false;
