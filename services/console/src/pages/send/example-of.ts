type Schema = Record<string, unknown>;

const byFormat: Record<string, string> = {
  'date-time': '2026-11-23T09:00:00Z',
  date: '2026-11-23',
  email: 'ada@example.com',
  uri: 'https://example.com/',
  uuid: '66f1c2a4-e8b5-4709-9234-5678abcdef01',
};

/** A number that is within the limits of a schema. */
function within(value: number, { minimum, maximum }: Schema): number {
  const [least, most] = [
    Number(minimum ?? Number.NEGATIVE_INFINITY),
    Number(maximum ?? Number.POSITIVE_INFINITY),
  ];
  return Math.min(Math.max(value, least), most);
}

function textOf({ format, minLength, maxLength }: Schema): string {
  const text = byFormat[String(format)];
  return text ?? 'text'.padEnd(Number(minLength ?? 0), '.').slice(0, Number(maxLength ?? Infinity));
}

/** A payload that most likely conforms. References and patterns do not count. */
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
    return Array.from({ length: Math.min(Number(minItems ?? 1), 10) }, () => exampleOf(items));
  if (first === 'boolean') return true;
  if (first === 'null') return null;
  if (first === 'integer') return Math.ceil(within(1, given));
  return first === 'number' ? within(21.5, given) : textOf(given);
}
