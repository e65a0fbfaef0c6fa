import { describe, expect, it } from 'vitest';
import { drafts, metaSchemaUris } from '../draft.ts';
import { limits } from '../limits.ts';
import { checkSchema } from './check.ts';
import { misspeltKeywords } from './misspelt.ts';
import { unnamedRequired } from './unnamed.ts';

const object = (rest: object = {}) => JSON.stringify({ type: 'object', ...rest });
const nested = (depth: number) => `{"type":"object","not":${'{"not":'.repeat(depth)}{}${'}'.repeat(depth)}}`;
const value = (schema: object) => object({ properties: { value: schema } });

const refused: [why: string, raw: string, message: RegExp][] = [
  [
    'text that is not JSON',
    '{"type":"object",',
    /not JSON: .*column 18|not JSON: a name in double quotes is missing at line 1/,
  ],
  ['an array', '[]', /must be a JSON object/],
  ['a boolean schema', 'true', /must be a JSON object/],
  ['a root without type', '{}', /"type": "object"/],
  ['a root with a list of types', '{"type":["object"]}', /"type": "object"/],
  [
    'a schema over the size limit',
    object({ title: 'x'.repeat(limits.schemaBytes) }),
    /at most 262144 are allowed/,
  ],
  ['a schema nested 3,000 deep', nested(3_000), /deeper than 64 levels at \/not\/not/],
  ['a schema of too many values', object({ enum: Array(30_000).fill(1) }), /more than 25000 values/],
  [
    'a name __proto__',
    '{"type":"object","properties":{"__proto__":{}}}',
    /__proto__ .* at \/properties\/__proto__/,
  ],
  ['a value with __proto__', '{"type":"object","default":{"__proto__":1}}', /__proto__/],
  ['an unknown draft', object({ $schema: 'http://json-schema.org/draft-03/schema#' }), /at \/\$schema/],
  ['a part of another draft', value({ $schema: 'http://json-schema.org/draft-07/schema#' }), /another draft/],
  ['$async', object({ $async: true }), /\$async is not allowed, at \/\$async/],
  ['$async false', object({ $async: false }), /\$async is not allowed/],
  ['$async below', object({ allOf: [{ $async: true }] }), /at \/allOf\/0\/\$async/],
  [
    '$async where a reference leads',
    value({ $ref: '#/x/y' }).replace('{', '{"x":{"y":{"$async":true}},'),
    /at \/x\/y\/\$async/,
  ],
  [
    '$data',
    value({ maximum: { $data: '1/other' } }),
    /\$data is not allowed, at \/properties\/value\/maximum/,
  ],
  [
    'a reference to the web',
    value({ $ref: 'https://example.com/a.json' }),
    /leads outside .* at \/properties\/value\/\$ref/,
  ],
  ['a reference to a file', value({ $ref: 'file:///etc/passwd' }), /leads outside/],
  [
    'a reference relative to a remote $id',
    object({ $id: 'https://example.com/a', not: { $ref: 'b' } }),
    /leads outside/,
  ],
  ['a dynamic reference to the web', value({ $dynamicRef: 'https://example.com/a#b' }), /leads outside/],
  ['a reference to nothing', value({ $ref: '#/$defs/none' }), /leads nowhere/],
  ['a reference to no anchor', value({ $ref: '#none' }), /leads nowhere/],
  ['a reference to an inherited name', value({ $ref: '#/toString' }), /leads nowhere/],
  ['a URI of 3,000 characters', value({ $ref: `#/${'a'.repeat(3_000)}` }), /more than 1024 characters/],
  [
    'two parts of one $id',
    object({ $defs: { a: { $id: 'x', type: 'string' }, b: { $id: 'x', type: 'number' } } }),
    /same identifier, at \/\$defs\/[ab]\/\$id/,
  ],
  [
    'two parts of one $anchor',
    object({ $defs: { a: { $anchor: 'x' }, b: { $anchor: 'x', type: 'number' } } }),
    /same identifier, at \/\$defs\/[ab]\/\$anchor/,
  ],
  ['a reference to a value', object({ examples: [1], not: { $ref: '#/examples/0' } }), /leads nowhere/],
  [
    'a lookahead',
    value({ pattern: '(?=a)b' }),
    /lookahead \(\?=, which is not supported, at \/properties\/value\/pattern; combine .* "allOf"/,
  ],
  ['a negative lookahead', value({ pattern: '^(?!a)' }), /lookahead \(\?!/],
  ['a lookbehind', value({ pattern: '(?<=a)b' }), /lookbehind/],
  ['a backreference', value({ pattern: '(a)\\1' }), /backreference \\1/],
  ['a named backreference', value({ pattern: '(?<n>a)\\k<n>' }), /backreference \\k/],
  [
    'a pattern as a property name',
    object({ patternProperties: { '(?!a)/b': {} } }),
    /lookahead .* at \/patternProperties\/\(\?!a\)~1b/,
  ],
  ['a pattern that is none', value({ pattern: '(a' }), /not a regular expression/],
  ['a repetition over 1,000', value({ pattern: 'a{1001}' }), /repeats more than 1000 times with \{1001\}/],
  ['a long pattern', value({ pattern: 'a'.repeat(5_000) }), /longer than 4096/],
];

const accepted: [why: string, raw: string, draft: string][] = [
  ['no $schema as draft 2020-12', object(), '2020-12'],
  ['draft 2019-09', object({ $schema: 'https://json-schema.org/draft/2019-09/schema' }), '2019-09'],
  ['draft 07', object({ $schema: 'http://json-schema.org/draft-07/schema#' }), '07'],
  ['draft 06 without #', object({ $schema: 'http://json-schema.org/draft-06/schema' }), '06'],
  ['draft 04 over https', object({ $schema: 'https://json-schema.org/draft-04/schema#' }), '04'],
  ['a property named $async', object({ properties: { $async: { type: 'string' } } }), '2020-12'],
  [
    '$async in values',
    object({ enum: [{ $async: true }], default: { $async: true }, examples: [{ $async: 1 }] }),
    '2020-12',
  ],
  ['$data as a constant', value({ const: { $data: '1/x' } }), '2020-12'],
  ['a property named $data', object({ properties: { $data: {} } }), '2020-12'],
  [
    'properties named as keywords',
    object({ properties: { pattern: {}, $ref: { type: 'string' }, items: {} } }),
    '2020-12',
  ],
  ['unknown keywords', object({ 'x-ui': { pattern: '(?=a)', $ref: 'https://example.com' } }), '2020-12'],
  ['an escaped pointer', object({ $defs: { 'a/b~c%': {} }, not: { $ref: '#/$defs/a~1b~0c%25' } }), '2020-12'],
];

describe('checkSchema', () => {
  it.each(refused)('refuses %s', (_why, raw, message) => {
    expect(() => checkSchema(raw)).toThrow(message);
  });

  it.each(accepted)('accepts %s', (_why, raw, draft) => {
    expect(checkSchema(raw)).toMatchObject({ draft, schema: JSON.parse(raw) });
  });
});

it.each(drafts)('draft %s: does not warn of what a meta-schema says', (draft) => {
  const $schema = metaSchemaUris[draft];
  const { walk } = checkSchema(object({ $schema, properties: { value: { $ref: $schema } } }));
  expect(walk.places.size).toBeGreaterThan(20);
  expect([...misspeltKeywords(walk, draft), ...unnamedRequired(walk)]).toEqual([]);
});
