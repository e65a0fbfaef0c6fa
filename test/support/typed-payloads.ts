import fc from 'fast-check';
import { text as anyText, number } from './csv-values.ts';

type Schema = Record<string, unknown>;
export type Payload = Record<string, unknown>;

/** A schema of one value, and values that conform to it. */
interface Kind {
  schema: Schema;
  value: fc.Arbitrary<unknown>;
}

export interface TypedPayloads {
  schema: Schema;
  payloads: Payload[];
}

/** Text in quotes and JSON that needs quotes look alike in CSV: that alone is lost where anything goes. */
const readable = anyText.filter((text) => !(/^[[{]/.test(text) && /[",\r\n]/.test(text)));
const boolean = fc.boolean();
const nil = fc.constant(null);
const scalar = fc.oneof(readable, number, boolean, nil);
const list = fc.array(fc.oneof(anyText, number, boolean, nil), { maxLength: 3 });
const open = fc.dictionary(fc.constantFrom('p', 'q.r', 'createdAt'), scalar, {
  maxKeys: 2,
  noNullPrototype: true,
});

const scalars: Kind[] = [
  { schema: { type: 'string' }, value: anyText },
  { schema: { type: ['string', 'null'] }, value: fc.oneof(anyText, nil) },
  { schema: { type: 'number' }, value: number },
  { schema: { type: 'integer' }, value: fc.maxSafeInteger() },
  { schema: { type: ['number', 'null'] }, value: fc.oneof(number, nil) },
  { schema: { type: 'boolean' }, value: boolean },
  { schema: { type: 'array' }, value: list },
  { schema: { type: 'object' }, value: open },
  { schema: { type: ['string', 'number', 'boolean'] }, value: fc.oneof(readable, number, boolean) },
  { schema: { enum: ['1', 'true', ''] }, value: fc.constantFrom('1', 'true', '') },
  { schema: { const: 5 }, value: fc.constant(5) },
  { schema: { anyOf: [{ type: 'string' }, { type: 'array' }] }, value: fc.oneof(readable, list) },
  { schema: { allOf: [{ $ref: '#/$defs/text' }] }, value: anyText },
  { schema: {}, value: fc.oneof(scalar, list, open) },
];
const keys = ['a', 'b', 'a.b', '', '.', '/', '~1', "'", '=x', ' -', 'createdAt', '"', ',', 'é', '0'];
const key = fc.constantFrom(...keys);

/** Objects with some of these properties, all of those that are required. */
function objectOf(properties: Record<string, Kind>, required: string[]): Kind {
  return {
    schema: {
      type: 'object',
      required,
      properties: Object.fromEntries(Object.entries(properties).map(([name, { schema }]) => [name, schema])),
    },
    value: fc.record(
      Object.fromEntries(Object.entries(properties).map(([name, { value }]) => [name, value])),
      {
        requiredKeys: required,
        noNullPrototype: true,
      },
    ),
  };
}

const { kind, object } = fc.letrec<{ kind: Kind; object: Kind }>((tie) => ({
  kind: fc.oneof(
    { maxDepth: 2 },
    { weight: 5, arbitrary: fc.constantFrom(...scalars) },
    { weight: 1, arbitrary: tie('object') },
  ),
  object: fc
    .tuple(
      fc.dictionary(key, tie('kind'), { minKeys: 1, maxKeys: 5, noNullPrototype: true }),
      fc.subarray(keys),
    )
    .map(([properties, required]) =>
      objectOf(
        properties,
        required.filter((name) => Object.hasOwn(properties, name)),
      ),
    ),
}));
void kind;

/** A schema with payloads that conform to it, such as owners have, and worse ones. */
export const typedPayloads: fc.Arbitrary<TypedPayloads> = object.chain(({ schema, value }) =>
  fc.record({
    schema: fc.constant({ ...schema, $defs: { text: { type: 'string' } } }),
    payloads: fc.array(value as fc.Arbitrary<Payload>, { minLength: 1, maxLength: 5 }),
  }),
);

/** Without the nulls that CSV cannot tell from nothing, and the objects that have nothing else. */
export function withoutNulls(payload: unknown): unknown {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return payload ?? undefined;
  const kept = Object.entries(payload).flatMap(([name, value]) => {
    const rest = withoutNulls(value);
    return rest === undefined ? [] : [[name, rest] as const];
  });
  const isEmptied = kept.length === 0 && Object.keys(payload).length > 0;
  return isEmptied ? undefined : Object.fromEntries(kept);
}
