import { isDeepStrictEqual } from 'node:util';
import { type Draft, drafts, metaSchemaUris } from '@sluice/schemas/draft.ts';
import fc from 'fast-check';

type Schema = Record<string, unknown>;
type Keyword = fc.Arbitrary<Schema>;

const names = ['a', 'b', '', 'toString', '0', 'a/b~'];
const anyName = fc.constantFrom(...names);
const anyNames = fc.uniqueArray(anyName, { minLength: 1, maxLength: 3 });
const patterns = ['^a', 'b$', '[ab]', '^.$', 'ba*', '^$'];
const count = fc.nat({ max: 3 });
/** Doubles do not tell these apart. */
const large = [9007199254740992n, 9007199254740993n, -9223372036854775808n];
const bound = fc.constantFrom<unknown>(-1, 0, 0.5, 1, 2, 3, ...large);

const scalars = [null, true, false, -1, 0, 1, 2, 3, 0.5, 1.5, '', 'a', 'b', 'ab', 'aab', 'ä', '💩', ...large];
/** Some are right by the meta-schema of each draft, some by that of a few. */
const schemas = [
  ...[{ type: 'string' }, { type: 'strin' }, { type: [] }, { multipleOf: 0 }, { required: [] }],
  ...[{ items: { required: [1] } }, { properties: { a: { minLength: -1 } } }, { not: { not: { $ref: 1 } } }],
  ...[{ exclusiveMinimum: 1 }, { const: 1, if: 1 }, { $defs: { a: { anyOf: [] } } }, { contains: [{}] }],
];

/** Few values, so that they meet what schemas ask for. */
export const anyValue: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 4, arbitrary: fc.constantFrom<unknown>(...scalars) },
    { weight: 3, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    { weight: 3, arbitrary: anyObjectOf(tie('value')) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(...schemas) },
  ),
})).value;

function anyObjectOf<T>(value: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> {
  return fc.dictionary(anyName, value, { maxKeys: 4, noNullPrototype: true });
}

/** An object as a payload is; `v` is where most schemas look. */
export const anyPayload = fc
  .tuple(anyObjectOf(anyValue), fc.option(anyValue, { nil: undefined, freq: 4 }))
  .map(([rest, v]) => (v === undefined ? rest : { ...rest, v }));

/** Definitions that may refer to each other only downwards, or from within a part of the payload. */
const definitions = 3;

/** Schemas of all keywords of a draft, with references among their parts. */
export function anySchema(draft: Draft): fc.Arbitrary<Schema> {
  const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      { weight: 1, arbitrary: draft === '04' ? fc.constant({}) : fc.boolean() },
      { weight: 8, arbitrary: anyKeywords(draft, tie('schema')) },
    ),
  }));
  const parts = fc.array(schema, { minLength: definitions, maxLength: definitions });
  const root = fc.oneof(
    schema.map((v): Schema => ({ properties: { v } })),
    anyKeywords(draft, schema),
    fc
      .tuple(schema, anyKeywords(draft, schema))
      .map(([v, keywords]): Schema => ({ ...keywords, properties: { v } })),
    fc.tuple(schema, schema).map(wide),
  );
  const key = atLeast(draft, '2019-09') ? '$defs' : 'definitions';
  // Each definition is a resource of its own then, so that dynamic references have a choice.
  const anchors = atLeast(draft, '2019-09')
    ? fc.option(fc.array(fc.boolean(), { minLength: definitions + 1, maxLength: definitions + 1 }))
    : fc.constant(null);
  return fc.tuple(root, parts, anchors).map(([keywords, defined, dynamic]) => {
    const ground = { draft, toDefinition: dynamic ? 'd' : `#/${key}/d`, isDynamic: dynamic !== null };
    const anchor = (i: number): Schema => {
      if (draft === '2019-09') return dynamic?.[i] ? { $recursiveAnchor: true } : {};
      return { [dynamic?.[i] ? '$dynamicAnchor' : '$anchor']: 'n' };
    };
    const resource = (part: unknown, i: number) => ({
      ...(typeof part === 'object' ? part : { allOf: [part] }),
      $id: `d${i}`,
      ...anchor(i),
    });
    const named = Object.fromEntries(
      defined.map((part, i) => {
        const made = grounded(part, ground, i + 1);
        return [`d${i}`, dynamic ? resource(made, i) : made];
      }),
    );
    return {
      $schema: metaSchemaUris[draft],
      ...(grounded(keywords, ground, 0) as Schema),
      ...(dynamic && { $id: 'https://x.test/root', ...anchor(definitions) }),
      type: 'object',
      [key]: named,
    };
  });
}

interface Ground {
  draft: Draft;
  /** The reference to a definition, without its number. */
  toDefinition: string;
  /** Whether there are anchors for dynamic references. */
  isDynamic: boolean;
}

/** So many properties that those with the same schema share their code. */
function wide(schemas: unknown[]): Schema {
  const all = ['v', ...names, ...Array.from({ length: 120 }, (_, i) => `n${i}`)];
  return { properties: Object.fromEntries(all.map((name, i) => [name, schemas[i % schemas.length]])) };
}

/**
 * Gives the places of references their targets. Only a reference from within a part of the payload may lead upwards: any
 * other could go round in circles.
 */
function grounded(schema: unknown, to: Ground, from: number, isWithin = false): unknown {
  if (Array.isArray(schema)) return schema.map((part) => grounded(part, to, from, isWithin));
  if (typeof schema !== 'object' || schema === null) return schema;
  const out: Schema = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === '$ref') {
      const least = isWithin ? 0 : from;
      const target = least + ((value as number) % (definitions - least || 1));
      if (value === 'meta') out.$ref = metaSchemaUris[to.draft];
      else if (target < definitions) out.$ref = to.toDefinition + target;
    } else if (keyword === '$dynamicRef' || keyword === '$recursiveRef') {
      if (to.isDynamic && isWithin) out[keyword] = value;
    } else if (goesWithin.has(keyword) && named.has(keyword)) out[keyword] = ground(value as Schema, true);
    else if (named.has(keyword)) out[keyword] = ground(value as Schema, isWithin);
    else if (goesWithin.has(keyword)) out[keyword] = grounded(value, to, from, true);
    else if (applied.has(keyword)) out[keyword] = grounded(value, to, from, isWithin);
    else out[keyword] = value;
  }
  return out;

  function ground(parts: Schema, within: boolean): Schema {
    return Object.fromEntries(
      Object.entries(parts).map(([name, part]) => [
        name,
        Array.isArray(part) ? part : grounded(part, to, from, within),
      ]),
    );
  }
}

const goesWithin = new Set([
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains'],
]);
const named = new Set(['properties', 'patternProperties', 'dependencies', 'dependentSchemas']);
const applied = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'propertyNames']);

function atLeast(draft: Draft, first: Draft): boolean {
  return drafts.indexOf(draft) >= drafts.indexOf(first);
}

function anyKeywords(draft: Draft, schema: fc.Arbitrary<unknown>): fc.Arbitrary<Schema> {
  return fc
    .array(fc.oneof(...keywordsOf(draft, schema)), { maxLength: 5 })
    .map((keywords) => Object.assign({}, ...keywords));
}

/** Without formats: what each means is not one thing to all validators. */
function keywordsOf(draft: Draft, schema: fc.Arbitrary<unknown>): Keyword[] {
  const one = (keyword: string, value: fc.Arbitrary<unknown>): Keyword =>
    value.map((given) => ({ [keyword]: given }));
  const schemas = fc.array(schema, { minLength: 1, maxLength: 3 });
  const named = fc.dictionary(anyName, schema, { maxKeys: 3, noNullPrototype: true });
  const patterned = fc.dictionary(fc.constantFrom(...patterns), schema, {
    maxKeys: 2,
    noNullPrototype: true,
  });
  const type = fc.constantFrom('null', 'boolean', 'integer', 'number', 'string', 'array', 'object');
  const found: Keyword[] = [
    one('type', fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 }))),
    one('enum', fc.uniqueArray(anyValue, { minLength: 1, maxLength: 4, comparator: isDeepStrictEqual })),
    one('multipleOf', fc.constantFrom(0.5, 1, 1.5, 2)),
    one('maximum', bound),
    one('minimum', bound),
    ...['maxLength', 'minLength', 'maxItems', 'minItems', 'maxProperties', 'minProperties'].map((keyword) =>
      one(keyword, count),
    ),
    one('pattern', fc.constantFrom(...patterns)),
    one('items', schema),
    one('uniqueItems', fc.boolean()),
    one('required', anyNames),
    one('properties', named),
    one('patternProperties', patterned),
    one('additionalProperties', schema),
    one('allOf', schemas),
    one('anyOf', schemas),
    one('oneOf', schemas),
    one('not', schema),
    one('$ref', fc.oneof({ weight: 8, arbitrary: fc.nat({ max: definitions }) }, fc.constant('meta'))),
  ];
  if (draft === '04')
    found.push(
      fc.record({ maximum: bound, exclusiveMaximum: fc.boolean() }),
      fc.record({ minimum: bound, exclusiveMinimum: fc.boolean() }),
    );
  else
    found.push(
      one('exclusiveMaximum', bound),
      one('exclusiveMinimum', bound),
      one('const', anyValue),
      one('contains', schema),
      one('propertyNames', schema),
    );
  if (atLeast(draft, '07')) found.push(one('if', schema), one('then', schema), one('else', schema));
  if (atLeast(draft, '2019-09'))
    found.push(
      fc.record({ contains: schema, minContains: count }),
      fc.record({ contains: schema, maxContains: count }),
      one('dependentRequired', fc.dictionary(anyName, anyNames, { maxKeys: 2, noNullPrototype: true })),
      one('dependentSchemas', named),
      one('unevaluatedItems', schema),
      one('unevaluatedProperties', schema),
    );
  else
    found.push(
      one(
        'dependencies',
        fc.dictionary(anyName, fc.oneof(anyNames, schema), { maxKeys: 2, noNullPrototype: true }),
      ),
    );
  if (draft === '2019-09') found.push(one('$recursiveRef', fc.constant('#')));
  if (draft === '2020-12') found.push(one('prefixItems', schemas), one('$dynamicRef', fc.constant('#n')));
  else found.push(one('items', schemas), fc.record({ items: schemas, additionalItems: schema }));
  return found;
}
