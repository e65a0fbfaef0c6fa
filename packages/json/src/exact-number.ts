/** Whether a JSON number literal has the very value that JSON prints for the double nearest to it. Linear in its length. */
export function isExactNumber(literal: string): boolean {
  const value = Number(literal);
  const printed = String(value);
  if (printed === literal) return true;
  if (!Number.isFinite(value)) return false;
  const sent = toDecimal(literal);
  const kept = toDecimal(printed);
  return sent.digits === kept.digits && (sent.digits === '' || sent.exponent === kept.exponent);
}

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
