const [least, most] = [-(2n ** 63n), 2n ** 63n - 1n];
/** Significant digits that name a double: so many tell any two of them apart. */
const doubleDigits = 17;
/** Of an integer of 64 bits. */
const integerDigits = 19;

declare global {
  interface JSON {
    /** What JSON.stringify prints as this text (https://github.com/tc39/proposal-json-parse-with-source). */
    rawJSON(text: string): object;
  }
}

/** What JSON.stringify prints as the digits of an integer. */
export const printed = (integer: bigint): object => JSON.rawJSON(String(integer));

/** JSON.stringify for a value that may have BigInts. */
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
 * The number of a JSON literal that comes back as what it is: a signed 64-bit integer digit by digit, and a decimal of at most 17
 * significant digits as the double that it names. Undefined where it would come back as another one. Linear in its length.
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

/** Whether a number literal is written as an integer. */
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
