import { afterAll, describe, expect, it } from 'vitest';
import { faultsOf } from '../../../../test/support/faults-of.ts';
import type { CompiledSchema } from '../judge/compiled-schema.ts';
import { createCompiler } from './compiler.ts';

const compiler = createCompiler();
afterAll(() => compiler.close());

async function compile(schema: object): Promise<CompiledSchema> {
  const compiled = await compiler.compile(JSON.stringify({ type: 'object', ...schema }));
  if (!compiled.ok) throw new Error(compiled.problem);
  return compiled.schema;
}

const classic = (draft: string) => ({ $schema: `http://json-schema.org/draft-${draft}/schema#` });
const recent = { $schema: 'https://json-schema.org/draft/2019-09/schema' };
const properties = (schemas: object) => ({ properties: schemas });

/** Doubles `depth` times: 2^depth ways through a schema of a few kilobytes. */
function doubling(depth: number, keyword: string, leaf: unknown = {}): object {
  const $defs = Object.fromEntries(
    Array.from({ length: depth }, (_, i) => [
      `d${i}`,
      { [keyword]: Array(2).fill({ $ref: `#/$defs/d${i + 1}` }) },
    ]),
  );
  return { $defs: { ...$defs, [`d${depth}`]: leaf }, $ref: '#/$defs/d0' };
}

const keywords: [what: string, schema: object, good: unknown, bad: unknown, keyword: string][] = [
  [
    'draft-04 exclusiveMaximum',
    { ...classic('04'), ...properties({ a: { maximum: 5, exclusiveMaximum: true } }) },
    { a: 4 },
    { a: 5 },
    'maximum',
  ],
  [
    'draft-04 id',
    {
      ...classic('04'),
      definitions: { n: { id: '#n', type: 'number' } },
      ...properties({ a: { $ref: '#n' } }),
    },
    { a: 1 },
    { a: '' },
    'type',
  ],
  [
    'draft-06 exclusiveMaximum',
    { ...classic('06'), ...properties({ a: { exclusiveMaximum: 5 } }) },
    { a: 4 },
    { a: 5 },
    'exclusiveMaximum',
  ],
  [
    'draft-06 contains',
    { ...classic('06'), ...properties({ a: { contains: { const: 1 } } }) },
    { a: [1] },
    { a: [2] },
    'contains',
  ],
  [
    'draft-07 if',
    // biome-ignore lint/suspicious/noThenProperty: the keyword's name
    { ...classic('07'), if: { required: ['a'] }, then: { required: ['b'] } },
    { a: 1, b: 1 },
    { a: 1 },
    'required',
  ],
  [
    'draft-07 items as a list',
    { ...classic('07'), ...properties({ a: { items: [{ type: 'number' }] } }) },
    { a: [1, ''] },
    { a: [''] },
    'type',
  ],
  [
    '2019-09 unevaluatedProperties',
    { ...recent, allOf: [{ properties: { a: {} } }], unevaluatedProperties: false },
    { a: 1 },
    { b: 1 },
    'unevaluatedProperties',
  ],
  [
    '2019-09 dependentRequired',
    { ...recent, dependentRequired: { a: ['b'] } },
    { a: 1, b: 1 },
    { a: 1 },
    'dependentRequired',
  ],
  [
    '2019-09 $recursiveRef',
    { ...recent, $recursiveAnchor: true, ...properties({ a: { $recursiveRef: '#' } }) },
    { a: { a: {} } },
    { a: { a: 1 } },
    'type',
  ],
  [
    '2020-12 prefixItems',
    properties({ a: { prefixItems: [{ type: 'number' }], items: false } }),
    { a: [1] },
    { a: [1, 2] },
    'items',
  ],
  [
    '2020-12 dependentSchemas',
    { dependentSchemas: { a: { required: ['b'] } } },
    { a: 1, b: 1 },
    { a: 1 },
    'required',
  ],
  [
    '$anchor',
    { $defs: { n: { $anchor: 'n', type: 'number' } }, ...properties({ a: { $ref: '#n' } }) },
    { a: 1 },
    { a: '' },
    'type',
  ],
  [
    '$id',
    {
      $id: 'https://x.test/root',
      $defs: { n: { $id: 'n', type: 'number' } },
      ...properties({ a: { $ref: 'n' } }),
    },
    { a: 1 },
    { a: '' },
    'type',
  ],
  [
    '$dynamicRef to an anchor below',
    { $defs: { n: { $dynamicAnchor: 'n', type: 'number' } }, ...properties({ a: { $dynamicRef: '#n' } }) },
    { a: 1 },
    { a: '' },
    'type',
  ],
  [
    '$dynamicRef to the root',
    { $dynamicAnchor: 'n', ...properties({ a: { $dynamicRef: '#n' } }) },
    { a: { a: {} } },
    { a: { a: 1 } },
    'type',
  ],
  [
    'a reference into an unknown keyword',
    { components: { n: { type: 'number' } }, ...properties({ a: { $ref: '#/components/n' } }) },
    { a: 1 },
    { a: '' },
    'type',
  ],
  [
    'a reference to a meta-schema',
    properties({ a: { $ref: 'https://json-schema.org/draft/2020-12/schema' } }),
    { a: { type: 'string' } },
    { a: { type: 1 } },
    'anyOf',
  ],
  ['required names that objects inherit', { required: ['toString'] }, { toString: 1 }, {}, 'required'],
  [
    'properties that objects inherit',
    properties({ constructor: { type: 'number' } }),
    {},
    { constructor: '' },
    'type',
  ],
  [
    'uniqueItems of objects',
    properties({ a: { uniqueItems: true } }),
    { a: [{ x: 1, y: 2 }, { x: 1 }] },
    {
      a: [
        { x: 1, y: 2 },
        { y: 2, x: 1 },
      ],
    },
    'uniqueItems',
  ],
  [
    'uniqueItems of __proto__',
    properties({ a: { uniqueItems: true, items: { type: 'string' } } }),
    { a: ['__proto__'] },
    { a: ['__proto__', '__proto__'] },
    'uniqueItems',
  ],
  [
    'patternProperties',
    { patternProperties: { '^n_': { type: 'number' } }, additionalProperties: false },
    { n_a: 1 },
    { m_a: 1 },
    'additionalProperties',
  ],
  ['formats', properties({ a: { format: 'email' } }), { a: 'a@b.cc' }, { a: 'a@' }, 'format'],
  [
    'nullable as unknown',
    properties({ a: { type: 'string', nullable: true } }),
    { a: '' },
    { a: null },
    'type',
  ],
  [
    'an unknown keyword and an unknown format',
    { id: 'x', 'x-ui': 1, ...properties({ a: { type: 'string', format: 'colour' } }) },
    { a: 'red' },
    { a: 1 },
    'type',
  ],
];

describe('a compiled schema', () => {
  it.each(keywords)('knows %s', async (_what, schema, good, bad, keyword) => {
    const compiled = await compile(schema);
    expect(compiled.judge(good)).toBe('conforms');
    expect(faultsOf(compiled, bad)).toContainEqual(expect.objectContaining({ keyword }));
    expect(compiled.judge(good)).toBe('conforms');
  });

  it('never changes a payload', async () => {
    const validator = await compile({
      ...properties({ a: { type: 'number', default: 1 } }),
      additionalProperties: { type: 'string' },
    });
    for (const payload of [{}, { a: '1' }, { b: 1 }]) {
      const before = JSON.stringify(payload);
      faultsOf(validator, payload);
      expect(JSON.stringify(payload)).toBe(before);
    }
  });

  it('explains all that is wrong, with pointers and names, and no long values', async () => {
    const validator = await compile({
      ...properties({ 'a/b': { type: 'number' }, e: { enum: ['x', 'y'] }, s: { maxLength: 3 } }),
      required: ['r'],
      additionalProperties: false,
    });
    const payload = {
      'a/b': '',
      e: 'z'.repeat(5_000),
      s: 's'.repeat(5_000),
      [`long${'g'.repeat(5_000)}`]: 1,
    };
    expect(faultsOf(validator, payload)).toEqual([
      { path: '', keyword: 'required', property: 'r', message: "must have the property 'r'" },
      {
        path: '',
        keyword: 'additionalProperties',
        property: expect.stringMatching(/^long.{495}…$/),
        message: expect.stringMatching(/^must not have the property 'long.{95}…'$/),
      },
      { path: '/a~1b', keyword: 'type', message: 'must be number' },
      { path: '/e', keyword: 'enum', message: 'must be one of "x", "y"' },
      { path: '/s', keyword: 'maxLength', message: 'must NOT have more than 3 characters' },
    ]);
  });

  it.each([
    [{ required: ['a', 'b'] }, { b: 1 }, ['required a']],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, ['dependentRequired b']],
    [
      { $schema: 'http://json-schema.org/draft-07/schema#', dependencies: { a: ['b'] } },
      { a: 1 },
      ['dependencies b'],
    ],
    [{ additionalProperties: false }, { a: 1, b: 1 }, ['additionalProperties a', 'additionalProperties b']],
    [{ unevaluatedProperties: false }, { a: 1 }, ['unevaluatedProperties a']],
    [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, ['maxLength ab', 'propertyNames ab']],
    [{ properties: { a: { enum: [1] } } }, { a: 2 }, ['enum undefined']],
    [
      { oneOf: [{ required: ['a'] }, { type: 'null' }] },
      {},
      ['required a', 'type undefined', 'oneOf undefined'],
    ],
  ])('names the property that %j means', async (schema, payload, named) => {
    const issues = faultsOf(await compile(schema), payload);
    expect(issues?.map(({ keyword, property }) => `${keyword} ${property}`)).toEqual(named);
  });

  it.each([
    '"',
    "'",
    '\\',
    ['`$', '{process.exit()}`'].join(''),
    '*/',
    '//',
    '\u2028\u2029',
    '\n',
    '"]);process.exit();//',
    '</script>',
  ])('takes %j from a schema as text, never as code', async (text) => {
    const schema = {
      ...properties({ [text]: { const: text, enum: [text, {}], title: text } }),
      required: [text],
      dependentRequired: { [text]: [text] },
      $comment: text,
    };
    const validator = await compile(schema);
    expect(faultsOf(validator, { [text]: text })).toBeNull();
    expect(faultsOf(validator, { [text]: `${text}.` })).toHaveLength(2);
    expect(faultsOf(validator, {})).toEqual([
      { path: '', keyword: 'required', property: text, message: `must have the property '${text}'` },
    ]);
    const { judge } = await compile({ patternProperties: { '^["\'`\\\\*/${}]$': false } });
    expect(judge({ '"': 1 })).toBe('does not conform');
  });

  it('passes a large honest payload', async () => {
    const row = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`p${i}`, i % 2 ? i : 'text']));
    const item = {
      type: 'object',
      required: Object.keys(row),
      additionalProperties: false,
      ...properties(
        Object.fromEntries(
          Object.keys(row).map((key, i) => [
            key,
            i % 2 ? { type: 'integer' } : { type: 'string', pattern: '^[a-z]+$', maxLength: 50 },
          ]),
        ),
      ),
    };
    const validator = await compile(properties({ rows: { items: item } }));
    expect(validator.judge({ rows: Array(10_000).fill(row) })).toBe('conforms');
  });
});

const bombs: [what: string, schema: object, payload: unknown][] = [
  ['30 doubling references', doubling(30, 'allOf'), {}],
  ['200 doubling references', doubling(200, 'allOf'), {}],
  ['doubling alternatives that all fail', doubling(30, 'anyOf', { type: 'string' }), {}],
  [
    'doubling with unevaluatedProperties',
    { ...doubling(30, 'allOf', properties({ a: {} })), unevaluatedProperties: false },
    { a: 1 },
  ],
  ['a schema that is itself', { $ref: '#' }, {}],
  ['a schema that is itself twice', { allOf: [{ $ref: '#' }, { $ref: '#' }] }, {}],
  [
    '900 objects for each of 5,000 items',
    properties({ a: { items: { enum: Array.from({ length: 900 }, (_, i) => ({ a: 1, b: i })) } } }),
    { a: Array(5_000).fill({ a: 1, b: 899 }) },
  ],
  [
    '400 countings of 50,000 keys',
    { anyOf: Array.from({ length: 400 }, (_, i) => ({ minProperties: 1e6 + i })) },
    Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, 1])),
  ],
  [
    '400 measurings of a long text',
    properties({ a: { anyOf: Array.from({ length: 400 }, (_, i) => ({ type: 'string', maxLength: i })) } }),
    { a: 'x'.repeat(500_000) },
  ],
  [
    '400 formats of a long text',
    properties({ a: { anyOf: Array.from({ length: 400 }, () => ({ format: 'uri', minLength: 1e7 })) } }),
    { a: `http://a/${'%41'.repeat(200_000)}` },
  ],
  [
    'a pattern with too many states',
    properties({ a: { pattern: '(?:a|b)*a.{900}!' } }),
    { a: Array.from({ length: 50_000 }, (_, i) => ((i * i * 7) % 11 < 5 ? 'a' : 'b')).join('') },
  ],
];

const uncompilable: [what: string, raw: string, message: RegExp][] = [
  ['1 MB', JSON.stringify({ type: 'object', title: 'x'.repeat(1_000_000) }), /at most/],
  [
    'a meta-schema violation',
    '{"type":"object","properties":{"a":{"type":"strin"}}}',
    /at \/properties\/a\/type/,
  ],
  [
    'an unknown property of Unicode',
    '{"type":"object","properties":{"a":{"pattern":"\\\\p{Nonsense}"}}}',
    /no property of ECMA-262/,
  ],
  [
    'patterns that are large together',
    JSON.stringify({
      type: 'object',
      patternProperties: Object.fromEntries(
        Array.from({ length: 60 }, (_, i) => [`${i}[ab]{900}`, { type: 'string' }]),
      ),
    }),
    /too large together/,
  ],
];

describe('hostile schemas', () => {
  it.each(bombs)('%s: the validation is refused by its budget', async (_what, schema, payload) => {
    const validator = await compile(schema);
    expect(validator.judge(payload)).toBe('too many steps');
    expect(validator.judgeQuickly(payload)).toBe('too many steps');
    expect(validator.judge([])).not.toBe('conforms');
  });

  it.each(uncompilable)(
    '%s: the schema is refused, and the event loop goes on',
    async (_what, raw, message) => {
      const before = process.threadCpuUsage();
      const compiled = await compiler.compile(raw);
      const { user, system } = process.threadCpuUsage(before);
      expect(compiled).toEqual({ ok: false, problem: expect.stringMatching(message) });
      expect((user + system) / 1_000).toBeLessThan(500);
    },
  );

  it('ends the thread at the deadline and serves the next schema with another', async () => {
    const own = createCompiler({ deadlineMs: 1 });
    const slow = JSON.stringify({
      type: 'object',
      anyOf: Array.from({ length: 1_000 }, (_, i) => ({ required: [`a${i}`] })),
    });
    const isNew = { isNew: true };
    const answers = await Promise.all([own.compile(slow, isNew), own.compile(slow, isNew)]);
    for (const answer of answers)
      expect(answer).toEqual({ ok: false, problem: expect.stringMatching(/too long/) });
    await own.close();
    await expect(own.compile('{"type":"object"}')).rejects.toThrow(/closed/);
  });
});

it('compares a schema with the one in force', async () => {
  const [inForce, raw] = [5, 6].map((maximum) =>
    JSON.stringify({ type: 'object', ...properties({ a: { maximum } }) }),
  ) as [string, string];
  expect(await compiler.compile(raw, { isNew: true, inForce })).toMatchObject({
    changes: [{ path: '/a', kind: 'looser', message: 'maximum was 5, is 6' }],
  });
  expect(await compiler.compile(raw, { isNew: true })).toMatchObject({ changes: [] });
});

it.each([
  ['title and description', { properties: { a: { type: 'string' } }, title: 'A', description: 'a' }, true],
  [
    'the name of a definition',
    { $defs: { b: { type: 'string' } }, properties: { a: { $ref: '#/$defs/b' } } },
    false,
  ],
  ['the order of properties', { properties: { b: {}, a: {} } }, false],
])('schemas share what they become only if they mean the same: %s', async (_what, schema, isShared) => {
  const plain = await compile({ properties: { a: { type: 'string' } } });
  expect((await compile(schema)) === plain).toBe(isShared);
});
