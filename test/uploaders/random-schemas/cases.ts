import { toJson } from '@sluice/json/numbers.ts';
import { metaSchemaUris } from '@sluice/schemas/draft.ts';
import fc from 'fast-check';

/** A schema, and values that conform to it and that the types of all languages allow. */
interface Node {
  schema: object | boolean;
  values: fc.Arbitrary<unknown>;
}

export interface Case {
  rawSchema: string;
  payload: string;
}

const names = fc.constantFrom(
  ...[
    'class',
    'type',
    'match',
    'self',
    'Self',
    'async',
    'fn',
    'func',
    'None',
    'null',
    'str',
    'default',
    'is',
  ],
  ...[
    '🙂',
    '',
    'a b',
    'a-b',
    'a_b',
    'aB',
    'A',
    '1st',
    '"q"',
    'b\\u000a',
    'c*/d',
    'ü',
    '日本',
    'x\ny',
    '`',
    "'",
  ],
  ...[
    'Entry',
    'Uploader',
    'to_dict',
    'String',
    'Object',
    'Option',
    'json',
    '-',
    'a,omitempty',
    '$ref',
    '%s',
    '{}',
  ],
);
const text = fc.string({ unit: 'grapheme', maxLength: 8 });
const harmless = fc.oneof(text, fc.boolean(), fc.integer(), fc.constant(null), fc.array(fc.integer()));
const leaf = (schema: object | boolean, values: fc.Arbitrary<unknown>): fc.Arbitrary<Node> =>
  fc.constant({ schema, values });

const integer = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n);
const double = fc
  .double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 })
  .map((value) => (Object.is(value, -0) ? 0 : value));
const choice = fc.uniqueArray(fc.oneof(text, names), { minLength: 1, maxLength: 4 });

const leaves: fc.Arbitrary<Node>[] = [
  leaf({ type: 'string' }, text),
  leaf({ type: 'string', format: 'date-time' }, fc.constant('2026-01-02T03:04:05.678+02:00')),
  leaf({ type: 'integer' }, integer),
  leaf({ type: 'number', description: '@ends */ here\nand\\u000a <b & {@x goes on' }, double),
  leaf({ type: 'boolean' }, fc.boolean()),
  leaf({ type: ['string', 'null'] }, fc.option(text)),
  leaf({ type: ['integer', 'boolean'] }, fc.oneof(fc.integer(), fc.boolean())),
  leaf({ anyOf: [{ type: 'integer' }, { type: 'string' }] }, fc.oneof(fc.integer(), text)),
  leaf({ oneOf: [{ type: 'array' }, { type: 'object' }] }, fc.array(fc.integer())),
  leaf({ enum: ['one', 2, null, true] }, fc.constantFrom('one', 2, null, true)),
  leaf(true, harmless),
  leaf({}, harmless),
  choice.map((values) => ({ schema: { enum: values }, values: fc.constantFrom(...values) })),
  choice.map((values) => ({ schema: { enum: [...values, null] }, values: fc.constantFrom(...values, null) })),
  text.map((value) => ({ schema: { const: value }, values: fc.constant(value) })),
];

interface Member {
  name: string;
  node: Node;
  isRequired: boolean;
}

/** Optional members that are null are left out: not all languages tell them from absent ones. */
const objectOf = (members: Member[]): fc.Arbitrary<Record<string, unknown>> =>
  fc
    .tuple(
      ...members.map(({ node, isRequired }) =>
        fc.tuple(
          node.values,
          fc.boolean().map((on) => on || isRequired),
        ),
      ),
    )
    .map((values) =>
      Object.fromEntries(
        members.flatMap(({ name, isRequired }, at) => {
          const [value, isThere] = values[at] as [unknown, boolean];
          return isThere && (isRequired || value !== null) ? [[name, value]] : [];
        }),
      ),
    );

const schemaOf = (members: Member[]) => ({
  type: 'object',
  properties: Object.fromEntries(members.map(({ name, node }) => [name, node.schema])),
  required: members.filter(({ isRequired }) => isRequired).map(({ name }) => name),
});

const { record } = fc.letrec<{ node: Node; record: Node }>((tie) => {
  const inner = tie('node');
  const members = fc.uniqueArray(fc.record({ name: names, node: inner, isRequired: fc.boolean() }), {
    selector: ({ name }) => name,
    maxLength: 5,
  });
  const plain = fc.tuple(members, fc.constantFrom(undefined, false)).map(([own, additionalProperties]) => ({
    schema: { ...schemaOf(own), ...(additionalProperties === false && { additionalProperties }) },
    values: objectOf(own),
  }));
  const open = members.map((own) => ({
    schema: { ...schemaOf(own), additionalProperties: { type: ['integer', 'null'] } },
    values: fc
      .tuple(objectOf(own), fc.dictionary(fc.constantFrom('extra one', 'é'), fc.option(fc.integer())))
      .map(([object, more]) => ({ ...more, ...object })),
  }));
  const merged = fc.tuple(members, members).map(([one, two]) => {
    const others = two.filter(({ name }) => !one.some((member) => member.name === name));
    return {
      schema: { allOf: [schemaOf(one), schemaOf(others)] },
      values: fc.tuple(objectOf(one), objectOf(others)).map(([a, b]) => ({ ...a, ...b })),
    };
  });
  // What one variant requires is optional in the type of both.
  const optional = members.map((own) => own.map((member) => ({ ...member, isRequired: false })));
  const variants = fc.tuple(optional, optional).map(([one, two]) => {
    const kind = (value: string): Member => ({
      name: 'kind',
      node: { schema: { const: value }, values: fc.constant(value) },
      isRequired: true,
    });
    const [first, second] = [
      [kind('first'), ...one],
      [kind('second'), ...two],
    ];
    return {
      schema: { oneOf: [schemaOf(first), schemaOf(second)] },
      values: fc.oneof(objectOf(first), objectOf(second)),
    };
  });
  const list = inner.map(({ schema, values }) => ({
    schema: { type: 'array', items: schema },
    values: fc.array(values, { maxLength: 3 }),
  }));
  const map = inner.map(({ schema, values }) => ({
    schema: { type: 'object', additionalProperties: schema },
    values: fc.dictionary(text, values, { maxKeys: 3 }),
  }));
  const patterned = inner.map(({ schema, values }) => ({
    schema: { type: 'object', patternProperties: { '^x': schema }, additionalProperties: false },
    values: fc.dictionary(
      text.map((key) => `x${key}`),
      values,
      { maxKeys: 3 },
    ),
  }));
  const referred = fc.tuple(names, inner).map(([name, { schema, values }]) => ({
    schema: { $ref: { name, schema } },
    values,
  }));
  return {
    node: fc.oneof(
      { depthSize: 'small' },
      ...leaves,
      plain,
      open,
      merged,
      variants,
      list,
      map,
      patterned,
      referred,
    ),
    record: fc.oneof(plain, open, merged, variants),
  };
});

/** Puts what references hold into the definitions. */
function define(schema: unknown, keyword: string, definitions: Record<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((one) => define(one, keyword, definitions));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref } = schema as { $ref?: unknown };
  if (typeof $ref === 'object' && $ref !== null && 'schema' in $ref && 'name' in $ref) {
    const { name, schema: inner } = $ref as { name: string; schema: unknown };
    const made = define(inner, keyword, definitions);
    const key = `${name.replace(/[^\w]/g, '')}${Object.keys(definitions).length}`;
    definitions[key] = made;
    return { $ref: `#/${keyword}/${key}` };
  }
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, define(value, keyword, definitions)]),
  );
}

export const cases: fc.Arbitrary<Case> = fc
  .tuple(fc.constantFrom('07' as const, '2020-12' as const), record)
  .chain(([draft, { schema, values }]) => {
    const keyword = draft === '07' ? 'definitions' : '$defs';
    const definitions = {};
    const root = define(schema, keyword, definitions) as object;
    const whole = { $schema: metaSchemaUris[draft], type: 'object', ...root, [keyword]: definitions };
    return values.map((payload) => ({ rawSchema: JSON.stringify(whole), payload: toJson(payload) }));
  });

/** A record that holds itself, in itself, in lists and in maps. Its description is more than text for gofmt. */
export const recursive: Case = {
  rawSchema: JSON.stringify({
    type: 'object',
    description: "- one ``two''",
    properties: {
      left: { $ref: '#' },
      pair: { $ref: '#/$defs/pair' },
      list: { $ref: '#/$defs/list' },
      map: { type: 'object', additionalProperties: { $ref: '#' } },
    },
    $defs: {
      pair: {
        type: 'object',
        description: ' ',
        properties: { other: { $ref: '#/$defs/pair' }, n: { type: 'integer' } },
      },
      list: { type: 'array', items: { $ref: '#/$defs/list' } },
    },
  }),
  payload: '{"left":{"pair":{"other":{"n":1}},"list":[[],[[]]]},"map":{"a":{}}}',
};
