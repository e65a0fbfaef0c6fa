import { nearestNumber } from '../../json/exact.ts';

type Schema = Record<string, unknown>;

const byFormat: Record<string, string> = {
  'date-time': '2026-11-23T09:00:00Z',
  date: '2026-11-23',
  email: 'ada@example.com',
  uri: 'https://example.com/',
  uuid: '66f1c2a4-e8b5-4709-9234-5678abcdef01',
};

/** A number that is within the limits of a schema: the limit itself, with its digits, if it must be. */
function within(value: number, { minimum, maximum }: Schema): unknown {
  if ((nearestNumber(minimum) ?? value) > value) return minimum;
  return (nearestNumber(maximum) ?? value) < value ? maximum : value;
}

function textOf({ format, minLength, maxLength }: Schema): string {
  const text = byFormat[String(format)];
  return text ?? 'text'.padEnd(nearestNumber(minLength) ?? 0, '.').slice(0, nearestNumber(maxLength));
}

/** A payload that most likely conforms to a schema of `parseExact`. References and patterns do not count. */
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
  if (first === 'integer') {
    const found = within(1, given);
    return typeof found === 'number' ? Math.ceil(found) : found;
  }
  return first === 'number' ? within(21.5, given) : textOf(given);
}
