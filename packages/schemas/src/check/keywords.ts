import { type Draft, drafts } from '../draft.ts';

/**
 * The value of a keyword. `data`: is compared with the payload. `schema`: a schema or a list of schemas.
 * `schemas`: an object of schemas. `parts`: an object of schemas, only for references. `note`: has no effect.
 */
export type Shape = 'data' | 'schema' | 'schemas' | 'parts' | 'reference' | 'identifier' | 'note';

type Row = [shape: Shape, keywords: string, first?: Draft, last?: Draft];

// biome-ignore format: a table, a row a line
const rows: Row[] = [
  ['data', 'type enum multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern'],
  ['data', 'const', '06'],
  ['schema', 'items additionalProperties'],
  ['schema', 'prefixItems', '2020-12'],
  ['schema', 'additionalItems', '04', '2019-09'],
  ['schema', 'unevaluatedItems unevaluatedProperties', '2019-09'],
  ['schema', 'contains', '06'],
  ['data', 'format maxItems minItems uniqueItems maxProperties minProperties required'],
  ['data', 'minContains maxContains dependentRequired', '2019-09'],
  ['schemas', 'properties patternProperties dependencies'],
  ['schemas', 'dependentSchemas', '2019-09'],
  ['schema', 'propertyNames', '06'],
  ['schema', 'if then else', '07'],
  ['schema', 'allOf anyOf oneOf not'],
  ['reference', '$ref'],
  ['reference', '$recursiveRef', '2019-09', '2019-09'],
  ['reference', '$dynamicRef', '2020-12'],
  ['identifier', 'id', '04', '04'],
  ['identifier', '$id', '06'],
  ['identifier', '$anchor', '2019-09'],
  ['identifier', '$recursiveAnchor', '2019-09', '2019-09'],
  ['identifier', '$dynamicAnchor', '2020-12'],
  ['parts', 'definitions'],
  ['parts', '$defs', '2019-09'],
  ['note', 'title description default'],
  ['note', 'examples', '06'],
  ['note', '$comment readOnly writeOnly contentEncoding contentMediaType', '07'],
  ['note', 'contentSchema deprecated', '2019-09'],
];

const shapes = Object.fromEntries(
  drafts.map((draft, at) => {
    const known = rows.filter(
      ([, , first = '04', last = '2020-12']) => drafts.indexOf(first) <= at && at <= drafts.indexOf(last),
    );
    return [draft, new Map(known.flatMap(([shape, names]) => names.split(' ').map((name) => [name, shape])))];
  }),
) as Record<Draft, Map<string, Shape>>;

/** The keywords that a draft knows. It ignores all others. */
export function keywordsOf(draft: Draft): ReadonlyMap<string, Shape> {
  return shapes[draft];
}
