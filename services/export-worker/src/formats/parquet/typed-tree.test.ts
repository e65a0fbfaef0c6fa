import { expect, it } from 'vitest';
import { type Node, openNodes } from './nodes.ts';
import { typedTree } from './typed-tree.ts';

/** A type as text: `{a: string, b: [integer]}`. */
function shown(node: Node): string {
  if (node.kind === 'list') return `[${shown(node.item)}]`;
  if (node.kind !== 'struct') return node.kind;
  const fields = [...node.fields].map(([key, { node }]) => `${key}: ${shown(node)}`);
  return `{${[...fields, ...(node.extra ? [node.extra] : [])].join(', ')}}`;
}

const nullable = (schema: object) => ({ anyOf: [schema, { type: 'null' }] });
const object = { type: 'object', properties: { b: { type: 'string' } } };

it.each<[string, unknown, string]>([
  ['a string', { type: 'string' }, 'string'],
  ['a date', { type: 'string', format: 'date' }, 'date'],
  ['a date and time', nullable({ type: 'string', format: 'date-time' }), 'timestamp'],
  ['a date of some schemas that apply', { allOf: [{ type: 'string' }, { format: 'date' }] }, 'date'],
  ['a date that may be a number', { type: ['string', 'number'], format: 'date' }, 'json'],
  ['a string with another format', { type: 'string', format: 'time' }, 'string'],
  ['an integer', { type: 'integer' }, 'integer'],
  ['a number', { type: 'number' }, 'number'],
  ['a boolean', { type: 'boolean' }, 'boolean'],
  ['null only', { type: 'null' }, 'json'],
  ['a string or null', { type: ['string', 'null'] }, 'string'],
  ['an integer or any number', { type: ['integer', 'number', 'null'] }, 'number'],
  ['anyOf with null', nullable({ type: 'integer' }), 'integer'],
  ['oneOf with null', { oneOf: [{ type: 'null' }, { type: 'boolean' }] }, 'boolean'],
  ['an object or null', nullable(object), '{b: string}'],
  ['alternatives of one type', { oneOf: [{ type: 'string', minLength: 9 }, { type: 'string' }] }, 'string'],
  ['alternatives of two types', { oneOf: [{ type: 'string' }, { type: 'integer' }] }, 'json'],
  ['an alternative of any type', { anyOf: [{ type: 'string' }, {}] }, 'json'],
  ['an alternative that is true', { anyOf: [{ type: 'string' }, true] }, 'json'],
  ['several types', { type: ['string', 'integer'] }, 'json'],
  ['no type', {}, 'json'],
  ['true', true, 'json'],
  ['false', false, 'json'],
  ['a constant', { const: 'x' }, 'string'],
  ['alternatives that are constants', { oneOf: [{ const: 'a' }, { const: 'b' }] }, 'string'],
  ['a constant null beside a type', { anyOf: [{ const: null }, { type: 'boolean' }] }, 'boolean'],
  ['an enum of strings', { enum: ['EUR', 'USD', null] }, 'string'],
  ['an enum of booleans', { enum: [true, false] }, 'boolean'],
  ['an enum of integers', { enum: [1, -(2 ** 63), 2 ** 63 - 1024] }, 'integer'],
  ['an enum of numbers', { enum: [1, 2.5] }, 'number'],
  ['an enum with an integer beyond 64 bits', { enum: [1, 2 ** 63] }, 'number'],
  ['an enum with a negative integer beyond 64 bits', { enum: [-(2 ** 63) - 2048] }, 'number'],
  ['an enum of integers where there are numbers', { type: 'number', enum: [1, 2] }, 'integer'],
  ['an enum that leaves one of several types', { type: ['string', 'integer'], enum: ['a', 1.5] }, 'string'],
  ['an enum that leaves no value', { type: 'integer', enum: [2 ** 63] }, 'json'],
  ['an enum of several types', { enum: [1, 'a'] }, 'json'],
  ['an enum of objects', { ...object, type: undefined, enum: [{ b: 'x' }] }, '{b: string}'],
  ['an enum of arrays', { enum: [['a']], items: { type: 'string' } }, '[string]'],
  ['an enum in a reference', { allOf: [{ $ref: '#/$defs/colour' }] }, 'string'],
  ['an unknown type', { type: 'date' }, 'json'],
  ['types that exclude each other', { type: 'string', allOf: [{ type: 'integer' }] }, 'json'],
  ['a type in allOf', { allOf: [{ minLength: 1 }, { type: 'string' }] }, 'string'],
  ['a narrower type in allOf', { type: 'number', allOf: [{ type: 'integer' }] }, 'integer'],
  ['a local reference', { $ref: '#/$defs/text' }, 'string'],
  ['a reference with an escape', { $ref: '#/$defs/a~1b%20c' }, 'integer'],
  ['a reference beside a type', { type: ['integer', 'string'], $ref: '#/$defs/text' }, 'string'],
  ['a reference that leads nowhere', { $ref: '#/$defs/nothing' }, 'json'],
  ['a reference by an anchor', { $ref: '#text' }, 'json'],
  ['a reference to itself', { $ref: '#/properties/a' }, 'json'],
  ['an object', object, '{b: string}'],
  ['an object without properties', { type: 'object' }, 'json'],
  ['properties without the type', { properties: object.properties }, 'json'],
  [
    'an object in parts',
    { allOf: [object, { properties: { c: {}, b: { minLength: 1 } } }] },
    '{b: string, c: json}',
  ],
  ['a list', { type: 'array', items: { type: 'number' } }, '[number]'],
  ['a list of lists', { type: 'array', items: { type: 'array', items: { type: 'string' } } }, '[[string]]'],
  ['a list of any items', { type: 'array' }, 'json'],
  ['a list of items of two types', { type: 'array', items: { type: ['string', 'number'] } }, 'json'],
  ['a tuple', { type: 'array', prefixItems: [{}], items: { type: 'string' } }, 'json'],
  ['a tuple of old drafts', { type: 'array', items: [{ type: 'string' }] }, 'json'],
  ['a list of objects', { type: 'array', items: object }, '[{b: string, _extra}]'],
  [
    'a list of closed objects',
    { type: 'array', items: { ...object, additionalProperties: false } },
    '[{b: string}]',
  ],
  [
    'a list of objects that are open to a pattern',
    { type: 'array', items: { ...object, additionalProperties: false, patternProperties: { '^x': {} } } },
    '[{b: string, _extra}]',
  ],
  [
    'a list of objects with a property of that name',
    { type: 'array', items: { type: 'object', properties: { _Extra: { type: 'string' } } } },
    '[{_Extra: string, _extra_}]',
  ],
  ['a list that contains itself', { $ref: '#/$defs/tree' }, '{value: string, children: json}'],
])('%s', (_what, a, expected) => {
  const $defs = {
    text: { type: 'string' },
    'a/b c': { type: 'integer' },
    colour: { enum: ['red', 'green'] },
    tree: {
      type: 'object',
      properties: { value: { type: 'string' }, children: { type: 'array', items: { $ref: '#/$defs/tree' } } },
    },
  };
  expect(shown(typedTree({ type: 'object', properties: { a }, $defs }))).toBe(`{a: ${expected}}`);
});

const beside = {
  a: { $ref: '#/definitions/any', type: 'string' },
  b: { $ref: '#/definitions/text', type: 'integer' },
  c: { $ref: '#/definitions/object', properties: { d: { type: 'string' } }, anyOf: [{ type: 'null' }] },
  d: { type: 'array', items: { $ref: '#/definitions/object', additionalProperties: false } },
  e: { $ref: '#/definitions/nothing', type: 'string' },
  f: { $ref: '#/properties/f', type: 'string' },
  g: { $ref: '#/definitions/outer/definitions/inner' },
  h: { allOf: [{ $ref: '#/definitions/any', type: 'string' }, { type: 'boolean' }] },
};
const alone =
  '{a: json, b: string, c: {e: number}, d: [{e: number, _extra}], e: json, f: json, g: string, h: boolean}';
const together = '{a: string, b: json, c: json, d: [{e: number}], e: string, f: string, g: string, h: json}';
it.each([
  ['http://json-schema.org/draft-04/schema#', alone],
  ['http://json-schema.org/draft-06/schema#', alone],
  ['http://json-schema.org/draft-07/schema#', alone],
  ['https://json-schema.org/draft/2019-09/schema', together],
  ['https://json-schema.org/draft/2020-12/schema', together],
  [undefined, together],
])('what stands beside a reference counts as it does by %s', ($schema, expected) => {
  const definitions = {
    any: {},
    text: { type: 'string' },
    object: { type: 'object', properties: { e: { type: 'number' } } },
    outer: { $ref: '#/definitions/any', definitions: { inner: { type: 'string' } } },
  };
  expect(shown(typedTree({ $schema, type: 'object', properties: beside, definitions }))).toBe(expected);
});

it.each([
  ['http://json-schema.org/draft-04/schema#', '{a: json, b: string, c: json}'],
  ['http://json-schema.org/draft-06/schema#', '{a: string, b: string, c: json}'],
  ['http://json-schema.org/draft-07/schema#', '{a: string, b: string, c: json}'],
  ['https://json-schema.org/draft/2019-09/schema', '{a: string, b: string, c: string}'],
])('a constant counts where the draft knows it, by %s', ($schema, expected) => {
  const definitions = { any: {} };
  const c = { $ref: '#/definitions/any', const: 'x', enum: ['x'] };
  const properties = { a: { const: 'x' }, b: { enum: ['x'] }, c };
  expect(shown(typedTree({ $schema, type: 'object', properties, definitions }))).toBe(expected);
});

it('takes no reference for local where a part has an identifier of its own', () => {
  const part = { $id: 'https://example.org/part', properties: { a: { $ref: '#/$defs/x' } } };
  const $defs = { x: { type: 'string' }, part: { ...part, $defs: { x: { type: 'integer' } } } };
  const schema = { type: 'object', properties: part.properties, $defs };
  expect(shown(typedTree(schema))).toBe('{a: json}');
});

it('ends where references double', () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => {
      const next = { $ref: `#/$defs/d${i + 1}` };
      return [`d${i}`, { type: 'object', properties: { a: next, b: { type: 'array', items: next } } }];
    }),
  );
  expect(typedTree({ type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs }).fields.size).toBe(1);
});

it.each([undefined, 'http://json-schema.org/draft-07/schema#'])(
  'ends where references make a long chain, by %s',
  ($schema) => {
    const $defs = Object.fromEntries(
      Array.from({ length: 7_000 }, (_, i) => [`d${i}`, { $ref: `#/$defs/d${i + 1}` }]),
    );
    const schema = { $schema, type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs };
    expect(shown(typedTree(schema))).toBe('{a: json}');
  },
);

it('ends where thousands of schemas apply to each of thousands of properties', () => {
  const each = ($ref: string) =>
    Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`p${i}`, { $ref: `#/$defs/${$ref}` }]));
  const $defs = {
    q: { type: 'object', properties: each('text') },
    text: { type: 'string', allOf: Array.from({ length: 19_000 }, () => ({})) },
  };
  const tree = typedTree({ type: 'object', properties: each('q'), $defs });
  const [first, ...others] = [...tree.fields.values()].map(({ node }) => shown(node));
  expect(first).toMatch(/^\{p0: string, .*p69: json\}$/);
  expect(new Set(others)).toEqual(new Set(['json']));
  expect(typedTree({ type: 'object', properties: each('q'), $defs })).toEqual(tree);
});

const i64 = 2 ** 63 - 1_024;
it.each<[string, object, boolean]>([
  ['nothing but the type', { type: 'integer' }, true],
  ['one bound', { type: 'integer', minimum: 0 }, true],
  [
    'a bound of 2^63, which is one of 2^63 - 1 as a double too',
    { type: 'integer', minimum: 0, maximum: 2 ** 63 - 1 },
    true,
  ],
  ['two bounds of 64 bits', { type: 'integer', minimum: -i64, maximum: i64 }, false],
  [
    'bounds that are left out themselves',
    { type: 'integer', exclusiveMinimum: -1, exclusiveMaximum: 100 },
    false,
  ],
  ['bounds in several parts', { allOf: [{ type: 'integer', minimum: 0 }, { maximum: 9 }] }, false],
  ['bounds of one of two alternatives', { type: 'integer', anyOf: [{ minimum: 0, maximum: 9 }, {}] }, true],
  ['bounds beside null', nullable({ type: 'integer', minimum: 0, maximum: 9 }), false],
  ['a list of small values', { enum: [1, 2, null] }, false],
  ['a list with a large value', { type: 'integer', enum: [1, 1e19] }, true],
  ['any number', { type: 'number' }, true],
  ['bounds of a number beyond 2^53', { type: 'number', minimum: -1e16, maximum: 1e16 }, true],
  ['bounds of a number', { type: 'number', minimum: -90, maximum: 90 }, false],
  ['items', { type: 'array', items: { type: 'integer' } }, true],
  ['items with bounds', { type: 'array', items: { type: 'integer', minimum: 0, maximum: 9 } }, false],
  ['a string', { type: 'string' }, false],
])('a schema leaves the type of a number open: %s', (_what, schema, isOpen) => {
  const tree = typedTree({ type: 'object', properties: { a: schema } });
  expect(openNodes(tree)).toHaveLength(isOpen ? 1 : 0);
});

it.each([
  ['http://json-schema.org/draft-07/schema#', 1],
  ['https://json-schema.org/draft/2020-12/schema', 0],
])('bounds beside a reference count where the draft says so, by %s', ($schema, count) => {
  const definitions = { any: { type: 'integer' } };
  const a = { $ref: '#/definitions/any', minimum: 0, maximum: 9 };
  const tree = typedTree({ $schema, type: 'object', properties: { a }, definitions });
  expect(openNodes(tree)).toHaveLength(count);
});
