import { keywordsOf } from '@sluice/schemas/check/keywords.ts';
import { drafts, metaSchemaUris } from '@sluice/schemas/draft.ts';
import fc from 'fast-check';

const names = fc.constantFrom('a', 'b', 'c', 'constructor', 'toString', '0', 'a/b');
const keywords = new Map(drafts.flatMap((draft) => [...keywordsOf(draft)]));
const garbage = fc.jsonValue({ maxDepth: 2 });
const small = fc.integer({ min: 0, max: 4 });

/** Sensible values of the keywords whose value is no schema; any other JSON stands in for them now and then. */
const data: Record<string, fc.Arbitrary<unknown>> = {
  type: fc.constantFrom('object', 'array', 'string', 'number', 'integer', 'boolean', 'null'),
  enum: fc.array(garbage, { minLength: 1, maxLength: 3 }),
  const: garbage,
  pattern: fc.constantFrom('^a', '[a-c]+$', '(?!a)', '\\p{L}{1,9}', '('),
  format: fc.constantFrom('email', 'date-time', 'uri', 'regex', 'none'),
  required: fc.uniqueArray(names, { maxLength: 2 }),
  dependentRequired: fc.dictionary(names, fc.uniqueArray(names, { maxLength: 2 }), { maxKeys: 2 }),
  uniqueItems: fc.boolean(),
  multipleOf: fc.constantFrom(1, 0.01, 1e-300, 1e300),
};
const references = fc.constantFrom(
  ...['#', '#/$defs/a', '#/definitions/b', '#a', 'b', 'b#a', '#/properties/a', 'https://example.com/x'],
);
const identifiers = fc.constantFrom('a', 'b', 'c', '#a', 'https://x.test/a');

const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
  const inner = tie('schema');
  const arbitraryOf = (keyword: string, shape: string): fc.Arbitrary<unknown> => {
    if (keyword === '$recursiveAnchor') return fc.boolean();
    if (shape === 'schema')
      return ['allOf', 'anyOf', 'oneOf', 'prefixItems'].includes(keyword)
        ? fc.array(inner, { minLength: 1, maxLength: 3 })
        : inner;
    if (shape === 'schemas' || shape === 'parts') return fc.dictionary(names, inner, { maxKeys: 3 });
    if (shape === 'reference') return references;
    if (shape === 'identifier') return identifiers;
    return data[keyword] ?? small;
  };
  const entry = fc
    .constantFrom(...keywords)
    .chain(([keyword, shape]) =>
      fc.tuple(
        fc.constant(keyword),
        fc.oneof({ weight: 60, arbitrary: arbitraryOf(keyword, shape) }, { weight: 1, arbitrary: garbage }),
      ),
    );
  const object = fc.array(entry, { maxLength: 5 }).map((entries) => Object.fromEntries(entries));
  return { schema: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.boolean(), object) };
});

/** Schemas of every draft, most of them valid, and JSON of any kind. */
export const schemas = fc.oneof(
  { weight: 1, arbitrary: garbage },
  {
    weight: 20,
    arbitrary: fc.tuple(fc.constantFrom(...drafts), schema, schema, schema).map(([draft, root, a, b]) => ({
      ...(typeof root === 'object' ? root : {}),
      $schema: metaSchemaUris[draft],
      type: 'object',
      $defs: { a },
      definitions: { b },
    })),
  },
);

const value = fc.oneof(
  garbage,
  fc.array(garbage, { maxLength: 4 }),
  fc.dictionary(names, garbage, { maxKeys: 4 }),
);

export const payloads = fc.dictionary(names, value, { maxKeys: 5 });
