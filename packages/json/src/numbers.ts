const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n];
/** Any two doubles differ within 17 significant digits. */
const doubleDigits = 17;
/** No 64-bit integer has more digits. */
const integerDigits = 19;

declare global {
  interface JSON {
    /** JSON.stringify prints the result as this text (https://github.com/tc39/proposal-json-parse-with-source). */
    rawJSON?(text: string): object;
    isRawJSON?(value: unknown): boolean;
  }
}

/** JSON.stringify prints the result as the literal, but rounded in old browsers and Node.js 20, which lack `rawJSON`. */
export const exactNumber = (literal: string): unknown => JSON.rawJSON?.(literal) ?? Number(literal);

/** Whether a value is one of `exactNumber` that JavaScript would write with other digits. */
export const isExactNumber = (value: unknown): boolean => JSON.isRawJSON?.(value) ?? false;

/** The nearest number of a number, a BigInt or a value of `exactNumber`; undefined of any other value. */
export function nearestNumber(value: unknown): number | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  return isExactNumber(value) ? Number(JSON.stringify(value)) : undefined;
}

/** JSON.stringify prints the result as the digits of the integer. */
export const printed = (integer: bigint): unknown => exactNumber(String(integer));

/** JSON.stringify for values with BigInts. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part) => (typeof part === 'bigint' ? printed(part) : part));

/** What a JSON number literal names: a BigInt for a signed 64-bit integer beyond 2^53, else the nearest double. */
export function toNumber(literal: string): number | bigint {
  const value = Number(literal);
  if (Number.isSafeInteger(value) || !Number.isInteger(value)) return value;
  const { digits, exponent } = toDecimal(literal);
  if (exponent < 0 || digits.length + exponent > integerDigits) return value;
  const size = BigInt(digits) * 10n ** BigInt(exponent);
  const integer = literal.startsWith('-') ? -size : size;
  return integer >= least && integer <= most ? integer : value;
}

/**
 * The number of a JSON literal, or undefined if the store would return another number. Takes linear time.
 * Signed 64-bit integers and decimals with at most 17 significant digits are kept.
 */
export function keptNumber(literal: string): number | bigint | undefined {
  const value = toNumber(literal);
  if (typeof value === 'bigint' || String(value) === literal) return value;
  if (!Number.isFinite(value)) return undefined;
  const sent = toDecimal(literal);
  if (sent.digits === '') return value;
  if (value === 0) return undefined;
  if (sent.digits.length <= doubleDigits) return value;
  const kept = toDecimal(String(value));
  return sent.digits === kept.digits && sent.exponent === kept.exponent ? value : undefined;
}

export const isInteger = (literal: string): boolean => /^-?\d+$/.test(literal);

/** The literal as digits × 10^exponent, without its sign and without zeros at either end; zero has no digits. */
function toDecimal(literal: string): { digits: string; exponent: number } {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = whole + fraction;
  // Loops, because a regular expression for trailing zeros is quadratic.
  let start = 0;
  while (digits[start] === '0') start++;
  let end = digits.length;
  while (end > start && digits[end - 1] === '0') end--;
  return {
    digits: digits.slice(start, end),
    exponent: Number(exponent) - fraction.length + (digits.length - end),
  };
}
