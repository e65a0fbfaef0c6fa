/** From 2^53 on, the digits that JSON prints of a double can differ from its value. From 1e21 on it has an exponent. */
const [digitsFrom, digitsTo] = [2 ** 53, 1e21];
const int64End = 2n ** 63n;

export type Sign = '=' | '<' | '<=' | '>' | '>=';

/** Only MongoDB can tell which entries meet the conditions. */
export class Undecided extends Error {
  override name = 'Undecided';
}

/**
 * The digits with which printed integers compare as MongoDB compares their values. Undefined: doubles compare so.
 * Throws Undecided where a double and an int64 that print the same compare differently.
 */
export function digitsOf(value: number | bigint, sign: Sign): string | undefined {
  const double = Number(value);
  const size = Math.abs(double);
  if (size < digitsFrom || size >= digitsTo) return undefined;
  const exact = BigInt(value);
  const isInt64 = exact >= -int64End && exact < int64End;
  const digits = isInt64 ? exact : printedOf(double);
  for (const near of [double, ...neighbours(double)])
    if (compares(printedOf(near), sign, digits) !== compares(BigInt(near), sign, exact))
      throw new Undecided(`only MongoDB can compare numbers with ${value}`);
  return String(digits);
}

/** What JSON prints of a double below 1e21, or of the last one. */
const printedOf = (double: number) => BigInt(Math.abs(double) < digitsTo ? String(double) : double);

function neighbours(double: number): number[] {
  const view = new DataView(new ArrayBuffer(8));
  return [-1n, 1n].map((step) => {
    view.setFloat64(0, double);
    view.setBigInt64(0, view.getBigInt64(0) + step);
    return view.getFloat64(0);
  });
}

function compares(one: bigint, sign: Sign, other: bigint): boolean {
  switch (sign) {
    case '=':
      return one === other;
    case '<':
      return one < other;
    case '<=':
      return one <= other;
    case '>':
      return one > other;
    default:
      return one >= other;
  }
}
