import { type Draft, drafts } from '@sluice/schemas/draft.ts';

/** A schema's part beside `type: object`, what it takes, what it refuses, and the `path` and `keyword` of the refusal. */
export interface KeywordRow {
  keyword: string;
  what: string;
  drafts: Draft[];
  schema: object;
  good: object;
  bad: object;
  path: string;
  reported: string;
}

export const span = (first: Draft, last: Draft = '2020-12') =>
  drafts.slice(drafts.indexOf(first), drafts.indexOf(last) + 1);

const v = (schema: object | boolean) => ({ properties: { v: schema } });
const n = { type: 'integer' };
// biome-ignore lint/suspicious/noThenProperty: the keyword's name
const clauses = { if: { required: ['a'] }, then: { required: ['b'] }, else: { required: ['c'] } };
const root = 'https://x.test/root';

type Row = [
  keyword: string,
  drafts: Draft[],
  schema: object,
  good: object,
  bad: object,
  path: string,
  reported?: string,
  what?: string,
];

// biome-ignore format: a table, a row a line
const rows: Row[] = [
  ['type', span('04'), v(n), { v: 1 }, { v: 'a' }, '/v'],
  ['enum', span('04'), v({ enum: ['a', { b: 1 }] }), { v: { b: 1 } }, { v: 'c' }, '/v'],
  ['const', span('06'), v({ const: [1] }), { v: [1] }, { v: [2] }, '/v'],
  ['multipleOf', span('04'), v({ multipleOf: 0.01 }), { v: 19.99 }, { v: 0.005 }, '/v'],
  ['maximum', span('04'), v({ maximum: 5 }), { v: 5 }, { v: 6 }, '/v'],
  ['exclusiveMaximum', ['04'], v({ maximum: 5, exclusiveMaximum: true }), { v: 4 }, { v: 5 }, '/v', 'maximum', 'as a boolean'],
  ['exclusiveMaximum', span('06'), v({ exclusiveMaximum: 5 }), { v: 4 }, { v: 5 }, '/v'],
  ['minimum', span('04'), v({ minimum: 5 }), { v: 5 }, { v: 4 }, '/v'],
  ['exclusiveMinimum', ['04'], v({ minimum: 5, exclusiveMinimum: true }), { v: 6 }, { v: 5 }, '/v', 'minimum', 'as a boolean'],
  ['exclusiveMinimum', span('06'), v({ exclusiveMinimum: 5 }), { v: 6 }, { v: 5 }, '/v'],
  ['maxLength', span('04'), v({ maxLength: 2 }), { v: '😀😀' }, { v: 'abc' }, '/v'],
  ['minLength', span('04'), v({ minLength: 2 }), { v: 'ab' }, { v: '😀' }, '/v'],
  ['pattern', span('04'), v({ pattern: '^a+$' }), { v: 'aa' }, { v: 'b' }, '/v'],
  ['format', span('04'), v({ format: 'email' }), { v: 'a@b.cc' }, { v: 'a' }, '/v'],
  ['items', span('04'), v({ items: n }), { v: [1] }, { v: [1, 'a'] }, '/v/1', 'type', 'as a schema'],
  ['items', span('04', '2019-09'), v({ items: [n] }), { v: [1, 'a'] }, { v: ['a'] }, '/v/0', 'type', 'as a list'],
  ['items', span('06'), v({ items: false }), { v: [] }, { v: [1] }, '/v/0', 'false schema', 'as a boolean'],
  ['prefixItems', span('2020-12'), v({ prefixItems: [n] }), { v: [1, 'a'] }, { v: ['a'] }, '/v/0', 'type'],
  ['additionalItems', span('04', '2019-09'), v({ items: [{}], additionalItems: n }), { v: ['a', 1] }, { v: ['a', 'b'] }, '/v/1', 'type'],
  ['unevaluatedItems', ['2019-09'], v({ allOf: [{ items: [n] }], unevaluatedItems: false }), { v: [1] }, { v: [1, 2] }, '/v'],
  ['unevaluatedItems', ['2019-09'], v({ contains: { const: 1 }, unevaluatedItems: n }), { v: [1, 2] }, { v: [1, 'a'] }, '/v/1', 'type', 'beside contains'],
  ['unevaluatedItems', span('2020-12'), v({ anyOf: [{ prefixItems: [n, n], minItems: 2 }, true], unevaluatedItems: false }), { v: [1, 2] }, { v: [1, 'a'] }, '/v'],
  ['unevaluatedItems', span('2020-12'), v({ contains: { const: 1 }, unevaluatedItems: false }), { v: [1, 1] }, { v: [1, 2] }, '/v', undefined, 'beside contains'],
  ['contains', span('06'), v({ contains: n }), { v: ['a', 1] }, { v: ['a'] }, '/v'],
  ['minContains', span('2019-09'), v({ contains: n, minContains: 2 }), { v: [1, 2] }, { v: [1] }, '/v', 'contains'],
  ['maxContains', span('2019-09'), v({ contains: n, maxContains: 1 }), { v: [1] }, { v: [1, 2] }, '/v', 'contains'],
  ['maxItems', span('04'), v({ maxItems: 1 }), { v: [1] }, { v: [1, 2] }, '/v'],
  ['minItems', span('04'), v({ minItems: 1 }), { v: [1] }, { v: [] }, '/v'],
  ['uniqueItems', span('04'), v({ uniqueItems: true }), { v: [1, '1'] }, { v: [{ a: 1, b: 2 }, { b: 2, a: 1 }] }, '/v'],
  ['maxProperties', span('04'), { maxProperties: 1 }, { a: 1 }, { a: 1, b: 1 }, ''],
  ['minProperties', span('04'), { minProperties: 1 }, { a: 1 }, {}, ''],
  ['required', span('04'), { required: ['toString'] }, { toString: 1 }, {}, ''],
  ['properties', span('04'), { properties: { constructor: n } }, {}, { constructor: 'a' }, '/constructor', 'type'],
  ['patternProperties', span('04'), { patternProperties: { '^n/': n } }, { a: 'a', 'n/a': 1 }, { 'n/a': 'a' }, '/n~1a', 'type'],
  ['additionalProperties', span('04'), { properties: { a: {} }, additionalProperties: false }, { a: 1 }, { b: 1 }, ''],
  ['unevaluatedProperties', span('2019-09'), { anyOf: [{ properties: { a: n } }], unevaluatedProperties: false }, { a: 1 }, { a: 1, constructor: 1 }, ''],
  ['unevaluatedProperties', span('2019-09'), { anyOf: [{ additionalProperties: n }, true], patternProperties: { '^a': {} }, unevaluatedProperties: false }, { a: 'a' }, { a: 'a', b: 'b' }, '', undefined, 'beside patternProperties'],
  ['unevaluatedProperties', span('2019-09'), { if: { properties: { a: n } }, unevaluatedProperties: false }, { a: 1 }, { a: 'a' }, '', undefined, 'beside if alone'],
  ['propertyNames', span('06'), { propertyNames: { maxLength: 3 } }, { abc: 1 }, { abcd: 1 }, ''],
  ['dependencies', span('04'), { dependencies: { a: ['b'] } }, { a: 1, b: 1 }, { a: 1 }, '', undefined, 'as a list'],
  ['dependencies', span('04'), { dependencies: { a: { required: ['b'] } } }, { a: 1, b: 1 }, { a: 1 }, '', 'required', 'as a schema'],
  ['dependentRequired', span('2019-09'), { dependentRequired: { a: ['b'] } }, { a: 1, b: 1 }, { a: 1 }, ''],
  ['dependentSchemas', span('2019-09'), { dependentSchemas: { a: { required: ['b'] } } }, { a: 1, b: 1 }, { a: 1 }, '', 'required'],
  ['if', span('07'), clauses, { a: 1, b: 1 }, { a: 1 }, ''],
  ['then', span('07'), clauses, { a: 1, b: 1 }, { a: 1 }, '', 'required'],
  ['else', span('07'), clauses, { c: 1 }, {}, '', 'required'],
  ['allOf', span('04'), v({ allOf: [n, { minimum: 1 }] }), { v: 1 }, { v: 0 }, '/v', 'minimum'],
  ['anyOf', span('04'), v({ anyOf: [n, { type: 'string' }] }), { v: 'a' }, { v: true }, '/v'],
  ['oneOf', span('04'), v({ oneOf: [n, { minimum: 1 }] }), { v: 0 }, { v: 1 }, '/v'],
  ['not', span('04'), v({ not: n }), { v: 'a' }, { v: 1 }, '/v'],
  ['$ref', span('04'), { definitions: { 'a/b%': n }, ...v({ $ref: '#/definitions/a~1b%25' }) }, { v: 1 }, { v: 'a' }, '/v', 'type', 'by a pointer'],
  ['$ref', span('04'), v({ $ref: '#' }), { v: { v: {} } }, { v: { v: 1 } }, '/v/v', 'type', 'to the root'],
  ['$ref', span('04', '07'), { definitions: { n }, ...v({ $ref: '#/definitions/n', maximum: 5 }) }, { v: 9 }, { v: 'a' }, '/v', 'type', 'alone, whatever is beside it'],
  ['$ref', span('2019-09'), { $defs: { n }, ...v({ $ref: '#/$defs/n', maximum: 5 }) }, { v: 4 }, { v: 9 }, '/v', 'maximum', 'together with what is beside it'],
  ['$recursiveRef', ['2019-09'], v({ $recursiveRef: '#' }), { v: {} }, { v: 1 }, '/v', 'type'],
  ['$recursiveAnchor', ['2019-09'], { $id: root, $recursiveAnchor: true, $defs: { t: { $id: 't', $recursiveAnchor: true, ...v({ $recursiveRef: '#' }) } }, $ref: 't', properties: { n } }, { v: { n: 1 } }, { v: { n: 'a' } }, '/v/n', 'type'],
  ['$dynamicRef', span('2020-12'), { $dynamicAnchor: 'n', ...v({ $dynamicRef: '#n' }) }, { v: {} }, { v: 1 }, '/v', 'type'],
  ['$dynamicAnchor', span('2020-12'), { $id: root, $defs: { i: { $dynamicAnchor: 'T', ...n }, l: { $id: 'l', items: { $dynamicRef: '#T' }, $defs: { t: { $dynamicAnchor: 'T' } } } }, ...v({ $ref: 'l' }) }, { v: [1] }, { v: ['a'] }, '/v/0', 'type', 'in several $id'],
  ['id', ['04'], { id: root, definitions: { n: { id: 'n', ...n } }, ...v({ $ref: 'n' }) }, { v: 1 }, { v: 'a' }, '/v', 'type'],
  ['id', ['04'], { definitions: { n: { id: '#n', ...n } }, ...v({ $ref: '#n' }) }, { v: 1 }, { v: 'a' }, '/v', 'type', 'as a fragment'],
  ['$id', span('06'), { $id: root, definitions: { n: { $id: 'n', ...n } }, ...v({ $ref: 'n' }) }, { v: 1 }, { v: 'a' }, '/v', 'type'],
  ['$id', span('06', '07'), { definitions: { n: { $id: '#n', ...n } }, ...v({ $ref: '#n' }) }, { v: 1 }, { v: 'a' }, '/v', 'type', 'as a fragment'],
  ['$anchor', span('2019-09'), { $defs: { n: { $anchor: 'n', ...n } }, ...v({ $ref: '#n' }) }, { v: 1 }, { v: 'a' }, '/v', 'type'],
  ['definitions', span('04'), { definitions: { n }, ...v({ $ref: '#/definitions/n' }) }, { v: 1 }, { v: 'a' }, '/v', 'type'],
  ['$defs', span('2019-09'), { $defs: { n }, ...v({ $ref: '#/$defs/n' }) }, { v: 1 }, { v: 'a' }, '/v', 'type'],
];

export const keywordRows: KeywordRow[] = rows.map(
  ([keyword, drafts, schema, good, bad, path, reported = keyword, what = '']) => ({
    keyword,
    what,
    drafts,
    schema,
    good,
    bad,
    path,
    reported,
  }),
);

/** Where a keyword is unknown and its row's schema would be refused: something that it would not take if it were known. */
export const idle: Record<string, { schema: object; payload: object }> = {
  additionalItems: { schema: v({ additionalItems: false }), payload: { v: [1] } },
  $recursiveAnchor: { schema: { $recursiveAnchor: 'x' }, payload: {} },
  $dynamicAnchor: { schema: { $dynamicAnchor: 5 }, payload: {} },
  id: { schema: { id: 5 }, payload: {} },
  $id: { schema: { $id: 5 }, payload: {} },
  $anchor: { schema: { $anchor: 5 }, payload: {} },
  $defs: { schema: { $defs: 5 }, payload: {} },
};

/** What tells a reader something and refuses nothing. */
export const notes = {
  schema: v({
    title: 'T',
    description: 'D',
    default: 1,
    examples: [1],
    $comment: 'C',
    readOnly: true,
    writeOnly: true,
    contentEncoding: 'base64',
    contentMediaType: 'application/json',
    contentSchema: n,
    deprecated: true,
  }),
  payload: { v: 'not base64 §' },
};
