import { type Draft, drafts } from '../draft.ts';

/**
 * What a keyword's value is. `data`: compared with the payload. `schema`: a schema or a list of them. `schemas`:
 * names, chosen by the owner, with schemas. `parts`: likewise, for references only. `note`: does nothing.
 */
export type Shape = 'data' | 'schema' | 'schemas' | 'parts' | 'reference' | 'identifier' | 'note';

type Row = [keyword: string, shape: Shape, first?: Draft, last?: Draft];

// biome-ignore format: a table, a row a line
const rows: Row[] = [
  ['type', 'data'],
  ['enum', 'data'],
  ['const', 'data', '06'],
  ['multipleOf', 'data'],
  ['maximum', 'data'],
  ['exclusiveMaximum', 'data'],
  ['minimum', 'data'],
  ['exclusiveMinimum', 'data'],
  ['maxLength', 'data'],
  ['minLength', 'data'],
  ['pattern', 'data'],
  ['format', 'data'],
  ['items', 'schema'],
  ['prefixItems', 'schema', '2020-12'],
  ['additionalItems', 'schema', '04', '2019-09'],
  ['unevaluatedItems', 'schema', '2019-09'],
  ['contains', 'schema', '06'],
  ['minContains', 'data', '2019-09'],
  ['maxContains', 'data', '2019-09'],
  ['maxItems', 'data'],
  ['minItems', 'data'],
  ['uniqueItems', 'data'],
  ['maxProperties', 'data'],
  ['minProperties', 'data'],
  ['required', 'data'],
  ['properties', 'schemas'],
  ['patternProperties', 'schemas'],
  ['additionalProperties', 'schema'],
  ['unevaluatedProperties', 'schema', '2019-09'],
  ['propertyNames', 'schema', '06'],
  ['dependencies', 'schemas'],
  ['dependentRequired', 'data', '2019-09'],
  ['dependentSchemas', 'schemas', '2019-09'],
  ['if', 'schema', '07'],
  ['then', 'schema', '07'],
  ['else', 'schema', '07'],
  ['allOf', 'schema'],
  ['anyOf', 'schema'],
  ['oneOf', 'schema'],
  ['not', 'schema'],
  ['$ref', 'reference'],
  ['$recursiveRef', 'reference', '2019-09', '2019-09'],
  ['$dynamicRef', 'reference', '2020-12'],
  ['id', 'identifier', '04', '04'],
  ['$id', 'identifier', '06'],
  ['$anchor', 'identifier', '2019-09'],
  ['$recursiveAnchor', 'identifier', '2019-09', '2019-09'],
  ['$dynamicAnchor', 'identifier', '2020-12'],
  ['definitions', 'parts'],
  ['$defs', 'parts', '2019-09'],
  ['title', 'note'],
  ['description', 'note'],
  ['default', 'note'],
  ['examples', 'note', '06'],
  ['$comment', 'note', '07'],
  ['readOnly', 'note', '07'],
  ['writeOnly', 'note', '07'],
  ['contentEncoding', 'note', '07'],
  ['contentMediaType', 'note', '07'],
  ['contentSchema', 'note', '2019-09'],
  ['deprecated', 'note', '2019-09'],
];

const shapes = Object.fromEntries(
  drafts.map((draft, at) => [
    draft,
    new Map(
      rows
        .filter(
          ([, , first = '04', last = '2020-12']) => drafts.indexOf(first) <= at && at <= drafts.indexOf(last),
        )
        .map(([keyword, shape]) => [keyword, shape]),
    ),
  ]),
) as Record<Draft, Map<string, Shape>>;

/** The keywords that a draft knows. Any other does nothing in it. */
export function keywordsOf(draft: Draft): ReadonlyMap<string, Shape> {
  return shapes[draft];
}
