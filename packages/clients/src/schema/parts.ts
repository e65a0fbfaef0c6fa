import { checkWalk, type Target } from '@sluice/schemas/check/check-walk.ts';
import { metaSchemaAt } from '@sluice/schemas/check/meta-schemas.ts';
import { draftOf, refStandsAlone } from '@sluice/schemas/draft.ts';
import { isObject, type Schema } from '@sluice/schemas/schema.ts';

export type SchemaParts = ReturnType<typeof createParts>;

/** The schemas that hold at once, without `$ref` and `allOf`. `false` if nothing conforms. */
export type All = Schema[] | false;

/** Two references to a schema are the same type, whatever they say about it. */
const notes = [
  ...['title', 'description', '$comment', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
  ...['$ref', 'allOf', '$defs', 'definitions', '$id', '$anchor', '$schema'],
];
const isMeaningful = (keyword: string) => !notes.includes(keyword);

/** Follows the references of a schema that `checkSchema` accepted. */
export function createParts(root: Schema) {
  const draft = draftOf(root.$schema) ?? '2020-12';
  const { targets, places } = checkWalk(root, draft);
  const isMeta = ({ place }: Target) => metaSchemaAt(place.resource, draft) !== undefined;
  const made = new Map<string, Schema>();
  const numbers = new Map<unknown, number>();

  function numberOf(schema: unknown): number {
    const known = numbers.get(schema) ?? numbers.size;
    numbers.set(schema, known);
    return known;
  }
  const keyOf = (schemas: unknown[]) => [...new Set(schemas.map(numberOf))].sort((a, b) => a - b).join(' ');

  /** One schema for many, the same for the same many. */
  function combine(keyword: 'allOf' | 'anyOf', schemas: unknown[]): unknown {
    const [first, ...others] = new Set(schemas);
    if (first !== undefined && others.length === 0) return first;
    const key = `${keyword} ${keyOf(schemas)}`;
    const schema = made.get(key) ?? { [keyword]: [...new Set(schemas)] };
    made.set(key, schema);
    return schema;
  }

  function allOf(schema: unknown): All {
    const found = new Set<Schema>();
    const todo = [schema];
    const seen = new Set<unknown>();
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
      if (next === false) return false;
      if (!isObject(next) || seen.has(next)) continue;
      seen.add(next);
      const references = [...(targets.get(next)?.values() ?? [])];
      todo.push(...references.filter((target) => !isMeta(target)).map(({ place }) => place.schema));
      if (refStandsAlone(draft) && references.length > 0) continue;
      if (Array.isArray(next.allOf)) todo.push(...next.allOf.toReversed());
      if (references.some(isMeta) || Object.keys(next).some(isMeaningful)) found.add(next);
    }
    return [...found];
  }

  /** What a reference calls the schema; undefined if that is no name. */
  function nameOf(schema: unknown): string | undefined {
    if (!isObject(schema)) return undefined;
    const target = targets.get(schema)?.get('$ref');
    const at = target ? target.place.at : places.get(schema)?.at;
    return /^\/(?:\$defs|definitions)\/([^/]+)$/.exec(at ?? '')?.[1];
  }

  /** Whether where a reference leads depends on the way to it. */
  const isDynamic = (schema: Schema) =>
    [...(targets.get(schema)?.values() ?? [])].some(
      (target) => isMeta(target) || target.anchor !== undefined,
    );

  return { allOf, combine, keyOf, nameOf, isDynamic };
}
