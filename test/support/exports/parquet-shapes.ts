import fc from 'fast-check';
import { anyCharacter } from '../any-character.ts';

/** What a schema says and what payloads are like; `any` is where it guarantees no type. */
export type Shape =
  | { kind: 'string' | 'integer' | 'number' | 'boolean' | 'any'; style: number }
  | { kind: 'list'; item: Shape; style: number }
  | { kind: 'object'; fields: [key: string, shape: Shape][]; open: boolean; style: number };
export type ObjectShape = Extract<Shape, { kind: 'object' }>;

type Schema = Record<string, unknown> | boolean;

const keys = ['a', 'b', 'c', 'é', 'a/b', '~', 'constructor', 'two words', '7', 'list', 'createdAt', '_extra'];
// Without the empty name: at the top DuckDB gives such a column one of its own.
const otherKeys = [...keys, 'x', 'x.y', 'toString', "it's", '/x'];

const style = fc.nat({ max: 59 });
export const { object: anyShape } = fc.letrec<{ shape: Shape; object: ObjectShape }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.record({ kind: fc.constantFrom('string', 'integer', 'number', 'boolean', 'any'), style }),
    fc.record({ kind: fc.constant('list'), item: tie('shape'), style }),
    tie('object'),
  ),
  object: fc.record({
    kind: fc.constant('object'),
    fields: fc.uniqueArray(fc.tuple(fc.constantFrom(...keys), tie('shape')), {
      maxLength: 4,
      selector: ([key]) => key,
    }),
    open: fc.boolean(),
    style,
  }),
}));

const untyped: Schema[] = [
  {},
  true,
  { type: ['string', 'integer'] },
  { type: 'object' },
  { type: 'array' },
  { type: 'array', items: { oneOf: [{ type: 'string' }, { type: 'number' }] } },
  { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  { $ref: '#' },
  { properties: { p: { type: 'string' } } },
  { not: { const: 1 } },
];

/** The same meaning in the ways in which people write it. */
function written(schema: Record<string, unknown>, style: number, defs: Record<string, unknown>): Schema {
  switch (style % 6) {
    case 0:
      return { ...schema, type: [schema.type, 'null'] };
    case 1:
      return { anyOf: [schema, { type: 'null' }], title: 'optional' };
    case 2:
      return { oneOf: [{ type: 'null' }, schema] };
    case 3: {
      const name = `d/${Object.keys(defs).length}`;
      defs[name] = schema;
      return { $ref: `#/$defs/${name.replace('/', '~1')}` };
    }
    case 4: {
      const { type, ...rest } = schema;
      return { allOf: [{ type: [type, 'null'] }, rest] };
    }
    default:
      return schema;
  }
}

function schemaWithin(shape: Shape, defs: Record<string, unknown>): Schema {
  if (shape.kind === 'any') return untyped[shape.style % untyped.length] as Schema;
  if (shape.kind === 'list')
    return written({ type: 'array', items: schemaWithin(shape.item, defs) }, shape.style, defs);
  if (shape.kind !== 'object') return written({ type: shape.kind }, shape.style, defs);
  return written(objectSchema(shape, defs), shape.style, defs);
}

function objectSchema({ fields, open }: ObjectShape, defs: Record<string, unknown>) {
  const properties = Object.fromEntries(fields.map(([key, shape]) => [key, schemaWithin(shape, defs)]));
  return { type: 'object', properties, ...(!open && { additionalProperties: false }) };
}

export function schemaOf(shape: ObjectShape): Record<string, unknown> {
  const $defs = {};
  return { ...objectSchema(shape, $defs), $defs };
}

const text = fc.string({ unit: anyCharacter, maxLength: 12 });
const integer = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.constantFrom(0, -0, 2 ** 53, 2 ** 62, -(2 ** 63), 2 ** 63 - 1024),
);
const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), integer);
const scalars = { string: text, integer, number, boolean: fc.boolean() };
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.oneof(text, number, fc.boolean(), fc.constant(null)),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...otherKeys), tie('json'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

export function valueFor(shape: Shape): fc.Arbitrary<unknown> {
  const present: fc.Arbitrary<unknown> =
    shape.kind === 'any'
      ? json
      : shape.kind === 'list'
        ? fc.array(valueFor(shape.item), { maxLength: 4 })
        : shape.kind === 'object'
          ? payloadOf(shape)
          : scalars[shape.kind];
  return fc.oneof({ weight: 1, arbitrary: fc.constant(null) }, { weight: 6, arbitrary: present });
}

export function payloadOf({ fields, open }: ObjectShape): fc.Arbitrary<Record<string, unknown>> {
  const declared = fc.record(Object.fromEntries(fields.map(([key, shape]) => [key, valueFor(shape)])), {
    requiredKeys: [],
    noNullPrototype: true,
  });
  const others = otherKeys.filter((key) => !fields.some(([name]) => name === key));
  if (!open) return declared;
  const undeclared = fc.dictionary(fc.constantFrom(...others), json, { maxKeys: 2, noNullPrototype: true });
  return fc.tuple(declared, undeclared).map(([one, other]) => ({ ...other, ...one }));
}
