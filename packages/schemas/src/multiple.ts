import { spend } from './budget.ts';

/** About the cost of dividing two numbers with some hundred digits. */
const exactSteps = 100;

type Numeric = number | bigint;

/** Divides the decimals that JSON writes: 19.99 is a multiple of 0.01, though dividing the doubles leaves a remainder. */
export function isMultiple(value: Numeric, divisor: Numeric): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor))
    return (value as number) % (divisor as number) === 0;
  spend(exactSteps);
  const [a, b] = [toDecimal(value), toDecimal(divisor)];
  const shared = Math.min(a.exponent, b.exponent);
  const scale = ({ digits, exponent }: typeof a) => digits * 10n ** BigInt(exponent - shared);
  return scale(a) % scale(b) === 0n;
}

function toDecimal(value: Numeric) {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}
