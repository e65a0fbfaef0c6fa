import { nearestNumber } from '@sluice/json/numbers.ts';
import type { Schema } from './schema.ts';

const byFormat: Record<string, string> = {
  'date-time': '2026-11-23T09:00:00Z',
  date: '2026-11-23',
  time: '09:00:00Z',
  duration: 'PT1H',
  email: 'ada@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  'uri-reference': '/text',
  'json-pointer': '/text',
  uuid: '66f1c2a4-e8b5-4709-9234-5678abcdef01',
};

/** The first number within the limits of a schema: one of these, or a limit itself. */
function within(given: Schema, isInteger: boolean, ...numbers: number[]): unknown {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = given;
  const [least = -Infinity, most = Infinity] = [minimum, maximum].map(nearestNumber);
  const [above = -Infinity, below = Infinity] = [exclusiveMinimum, exclusiveMaximum].map(nearestNumber);
  const step = nearestNumber(multipleOf);
  const near = [Math.ceil(least), Math.floor(most), Math.floor(above) + 1, Math.ceil(below) - 1];
  const steps = step === undefined ? [] : [step, ...near.map((limit) => Math.ceil(limit / step) * step)];
  const all = [...numbers, ...steps, minimum, maximum, ...near];
  return (
    all.find((candidate) => {
      const value = nearestNumber(candidate) ?? Number.NaN;
      const isStep = step === undefined || Number.isInteger(value / step);
      const isWhole = !isInteger || Number.isInteger(value);
      return value >= least && value <= most && value > above && value < below && isStep && isWhole;
    }) ?? numbers[0]
  );
}

function textOf({ format, minLength, maxLength }: Schema): string {
  const text = byFormat[String(format)];
  return text ?? 'text'.padEnd(nearestNumber(minLength) ?? 0, '.').slice(0, nearestNumber(maxLength));
}

/**
 * A payload that most likely conforms to a parsed schema. References and patterns do not count.
 *
 * Numbers of the schema may be BigInts or those of `exactNumber`.
 */
export function exampleOf(schema: unknown): unknown {
  const given = (schema ?? {}) as Schema;
  const { type, properties, enum: values, const: value, examples, items, minItems, anyOf, oneOf } = given;
  if (value !== undefined) return value;
  const [known] = [values, examples].filter(Array.isArray);
  if (known) return known[0];
  const [first] = [type].flat();
  if (first === 'object' || properties) {
    const parts = Object.entries((properties ?? {}) as Schema);
    return Object.fromEntries(parts.map(([name, part]) => [name, exampleOf(part)]));
  }
  const [either] = [anyOf, oneOf].filter(Array.isArray);
  if (first === undefined && either) return exampleOf(either[0]);
  if (first === 'array')
    return Array.from({ length: Math.min(nearestNumber(minItems) ?? 1, 10) }, () => exampleOf(items));
  if (first === 'boolean') return true;
  if (first === 'null') return null;
  if (first === 'integer') return within(given, true, 1, 0);
  return first === 'number' ? within(given, false, 21.5, 1, 0.5, 0) : textOf(given);
}
