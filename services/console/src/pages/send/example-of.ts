type Schema = Record<string, unknown>;

const byFormat: Record<string, string> = {
  'date-time': '2026-11-23T09:00:00Z',
  date: '2026-11-23',
  email: 'ada@example.com',
  uri: 'https://example.com/',
  uuid: '66f1c2a4-e8b5-4709-9234-5678abcdef01',
};

const byType: Record<string, unknown> = {
  string: 'text',
  integer: 1,
  number: 21.5,
  boolean: true,
  array: [],
};

/** A payload that most likely conforms. Only types, formats, constants, examples and lists of values count. */
export function exampleOf(schema: unknown): unknown {
  const { type, format, properties, enum: values, const: value, examples } = (schema ?? {}) as Schema;
  if (value !== undefined) return value;
  if (Array.isArray(values)) return values[0];
  if (Array.isArray(examples)) return examples[0];
  const [first] = [type].flat();
  if (first === 'object' || properties) {
    const parts = Object.entries((properties ?? {}) as Schema);
    return Object.fromEntries(parts.map(([name, part]) => [name, exampleOf(part)]));
  }
  if (first === 'null') return null;
  return byFormat[String(format)] ?? byType[String(first)] ?? 'text';
}
