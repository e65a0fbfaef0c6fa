import { type Draft, metaSchemaUris, refStandsAlone } from '../draft.ts';
import { limits } from '../limits.ts';
import { Refused } from '../refusal.ts';
import { isObject, type Schema } from '../schema.ts';
import type { Place, Target, Walk } from './check-walk.ts';
import { keywordsOf } from './keywords.ts';
import { metaSchemaAt } from './meta-schemas.ts';

/** The dynamic anchors on a way through the schema. For each name the first one counts. */
type Scope = { key: string; anchors: Map<string, Place> };

/**
 * Replaces identifiers, anchors and dynamic references by plain references to definitions, and drops unknown keywords.
 * `metaSchemas`: whether they become definitions too, or keep their names.
 *
 * A target has one definition for each set of dynamic anchors on the ways to it.
 */
export function link(
  root: Record<string, unknown>,
  draft: Draft,
  { places, targets, dynamicAnchors }: Walk,
  metaSchemas: 'copied' | 'named' = 'copied',
): Schema {
  const keywords = keywordsOf(draft);
  const definitions: Record<string, unknown> = {};
  const names = new Map<string, string>();
  const todo: { name: string; place: Place; scope: Scope }[] = [];
  let copied = 0;

  const start = enter({ key: '', anchors: new Map() }, places.get(root) as Place);
  names.set(`${start.key}\n`, '#');
  const schema = copy(root, start) as Record<string, unknown>;
  for (let next = todo.pop(); next; next = todo.pop())
    definitions[next.name] = copy(next.place.schema, next.scope);
  return { $schema: metaSchemaUris[draft], ...schema, definitions };

  function copy(schema: unknown, outer: Scope): unknown {
    if (!isObject(schema) || Object.keys(schema).length === 0) return schema;
    if (++copied > limits.linkedSchemas)
      throw new Refused(`the references of the schema expand to more than ${limits.linkedSchemas} schemas`);
    const scope = enter(outer, places.get(schema));
    const references = [...(targets.get(schema) ?? [])].map(([keyword, target]) =>
      refer(keyword, target, scope),
    );
    if (refStandsAlone(draft) && references[0]) return { $ref: references[0] };
    const out: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      const shape = keywords.get(keyword);
      if (shape === 'data') out[keyword] = value;
      else if (shape === 'schema')
        out[keyword] = Array.isArray(value) ? value.map((child) => copy(child, scope)) : copy(value, scope);
      else if (shape === 'schemas') out[keyword] = copyNamed(value, scope);
    }
    const [$ref, ...others] = references;
    if ($ref !== undefined) out.$ref = $ref;
    if (others.length > 0)
      out.allOf = [
        ...(Array.isArray(out.allOf) ? out.allOf : []),
        ...others.map((other) => ({ $ref: other })),
      ];
    return out;
  }

  function copyNamed(value: unknown, scope: Scope): unknown {
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, copy(child, scope)]));
  }

  function refer(keyword: string, { place: near, anchor }: Target, scope: Scope): string {
    if (metaSchemas === 'named' && metaSchemaAt(near.resource, draft)) return near.at;
    const place = (keyword !== '$ref' && anchor !== undefined && scope.anchors.get(anchor)) || near;
    const inner = enter(scope, place);
    const key = `${inner.key}\n${place.at}`;
    const known = names.get(key);
    if (known) return known;
    const name = String(names.size);
    const pointer = `#/definitions/${name}`;
    names.set(key, pointer);
    todo.push({ name, place, scope: inner });
    return pointer;
  }

  function enter(scope: Scope, place: Place | undefined): Scope {
    const own = [...(dynamicAnchors.get(place?.resource ?? '') ?? [])].filter(
      ([name]) => !scope.anchors.has(name),
    );
    if (own.length === 0) return scope;
    const anchors = new Map([...scope.anchors, ...own]);
    const key = JSON.stringify([...anchors].map(([name, { at }]) => [name, at]).sort());
    return { key, anchors };
  }
}
