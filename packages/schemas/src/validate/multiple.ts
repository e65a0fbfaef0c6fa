import { _, type CodeKeywordDefinition, str } from 'ajv';
import type { Spend } from './budget.ts';

/** About what dividing two numbers of some hundred digits costs. */
const exactSteps = 100;

/**
 * Whether a number is a multiple of another by the decimals that JSON writes for them: 19.99 is one of 0.01,
 * though a binary division leaves a rest.
 */
export function createIsMultiple(
  spend: Spend,
): (value: number | bigint, divisor: number | bigint) => boolean {
  return (value, divisor) => {
    if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor))
      return (value as number) % (divisor as number) === 0;
    spend(exactSteps);
    const [a, b] = [toDecimal(value), toDecimal(divisor)];
    const shared = Math.min(a.exponent, b.exponent);
    const scale = ({ digits, exponent }: Decimal) => digits * 10n ** BigInt(exponent - shared);
    return scale(a) % scale(b) === 0n;
  };
}

interface Decimal {
  digits: bigint;
  exponent: number;
}

function toDecimal(value: number | bigint): Decimal {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

const isMultiple = createIsMultiple(() => {});

/** Ajv's own keyword divides doubles, and so refuses most prices. */
export const multipleOf: CodeKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  error: {
    message: ({ schema }) => str`must be multiple of ${schema}`,
    params: ({ schema }) => _`{multipleOf: ${schema}}`,
  },
  code(cxt) {
    const { gen, data, schema } = cxt;
    const test = gen.scopeValue('func', { ref: isMultiple, code: _`$.isMultiple` });
    cxt.fail(_`!${test}(${data}, ${schema})`);
  },
};
