import { isDeepStrictEqual } from 'node:util';
import { fromPointer } from '@sluice/json/pointer.ts';
import { type Draft, draftOf, idKeyword, refStandsAlone } from '../draft.ts';
import { limits } from '../limits.ts';
import { translatePattern } from '../patterns/pattern.ts';
import { append, Refused, shown } from '../refusal.ts';
import { isObject } from '../schema.ts';
import { keywordsOf } from './keywords.ts';
import { metaSchemaAt } from './meta-schemas.ts';

/** A schema within the document, its JSON Pointer from the root, and the URI of its resource (`$id`). */
export type Place = { schema: unknown; at: string; resource: string };

/** Where a reference leads. `anchor`: the name of a dynamic anchor, whose target depends on the way there. */
export type Target = { place: Place; anchor?: string };

export type Walk = {
  /** By schema. */
  places: Map<Record<string, unknown>, Place>;
  /** By schema and keyword. */
  targets: Map<Record<string, unknown>, Map<string, Target>>;
  /** By resource and name; `$recursiveAnchor` has the name ''. */
  dynamicAnchors: Map<string, Map<string, Place>>;
};

type Reference = Place & { schema: Record<string, unknown>; keyword: string; reference: string };

const rootUri = 'sluice://schema/';

/**
 * Visits all schemas of a document, and what references lead to, meta-schemas too. Resolves the references.
 * Throws Refused for parts that are not allowed. Values, such as those of `enum`, are not visited.
 */
export function checkWalk(root: Record<string, unknown>, draft: Draft): Walk {
  const keywords = keywordsOf(draft);
  const id = idKeyword(draft);
  const todo: Place[] = [{ schema: root, at: '', resource: rootUri }];
  const walked: Walk = { places: new Map(), targets: new Map(), dynamicAnchors: new Map() };
  /** Each identified part of the document, by URI without fragment. */
  const documents = new Map<string, Place>([[rootUri, todo[0] as Place]]);
  const anchors = new Map<string, Place>();
  const found: Reference[] = [];

  walk();
  // The target of a reference is a schema wherever it lies, and may have more references.
  for (let next = found.shift(); next; next = found.shift()) {
    resolve(next);
    walk();
  }
  return walked;

  function walk(): void {
    for (let place = todo.pop(); place; place = todo.pop()) {
      if (isObject(place.schema) && !walked.places.has(place.schema)) visit(place.schema, place);
    }
  }

  function visit(schema: Record<string, unknown>, { at, resource: outer }: Place): void {
    if ('$async' in schema) throw new Refused(`$async is not allowed, at ${shown(append(at, '$async'))}`);
    if (at !== '' && schema.$schema !== undefined && draftOf(schema.$schema) !== draft)
      throw new Refused(`a part of the schema names another draft, at ${shown(append(at, '$schema'))}`);
    const place: Place = { schema, at, resource: outer };
    place.resource = identify(schema, place);
    walked.places.set(schema, place);
    nameAnchors(schema, place);
    for (const [keyword, value] of Object.entries(schema)) enter(keyword, value, schema, place);
  }

  function enter(keyword: string, value: unknown, schema: Record<string, unknown>, place: Place): void {
    const at = append(place.at, keyword);
    const { resource } = place;
    const shape = keywords.get(keyword);
    if (shape === 'data' && keyword !== 'const' && isObject(value) && typeof value.$data === 'string')
      throw new Refused(`$data is not allowed, at ${shown(at)}`);
    if (keyword === 'enum' && Array.isArray(value) && value.length === 0)
      throw new Refused(`an enum without a value allows nothing, at ${shown(at)}`);
    if (keyword === 'type') checkTypes(value, at);
    if (keyword === 'pattern' && typeof value === 'string') checkPattern(value, at);
    if (keyword === 'patternProperties' && isObject(value))
      for (const pattern of Object.keys(value)) checkPattern(pattern, append(at, pattern));
    if (shape === 'reference' && typeof value === 'string')
      found.push({ ...place, schema, keyword, reference: value });
    if (shape === 'schema' && !Array.isArray(value)) todo.push({ schema: value, at, resource });
    else if (shape === 'schema' || shape === 'schemas' || shape === 'parts')
      for (const [name, child] of Object.entries(value ?? {}))
        todo.push({ schema: child, at: append(at, name), resource });
  }

  /** The resource of a schema; an identifier begins a new one. */
  function identify(schema: Record<string, unknown>, place: Place): string {
    const { resource: outer, at } = place;
    const value = schema[id];
    if (typeof value !== 'string') return outer;
    if (refStandsAlone(draft) && typeof schema.$ref === 'string') return outer;
    if (value.startsWith('#')) {
      name(anchors, `${outer}${value}`, place, append(at, id));
      return outer;
    }
    const [uri] = split(value, outer, append(at, id));
    name(documents, uri, place, append(at, id));
    return uri;
  }

  function nameAnchors(schema: Record<string, unknown>, place: Place): void {
    const { at, resource } = place;
    for (const keyword of ['$anchor', '$dynamicAnchor']) {
      const anchor = schema[keyword];
      if (keywords.get(keyword) !== 'identifier' || typeof anchor !== 'string') continue;
      name(anchors, `${resource}#${anchor}`, place, append(at, keyword));
      if (keyword === '$dynamicAnchor') dynamicAnchorsOf(resource).set(anchor, place);
    }
    const begins = documents.get(resource)?.schema === schema;
    if (keywords.has('$recursiveAnchor') && schema.$recursiveAnchor === true && begins)
      dynamicAnchorsOf(resource).set('', place);
  }

  function dynamicAnchorsOf(resource: string): Map<string, Place> {
    const named = walked.dynamicAnchors.get(resource) ?? new Map<string, Place>();
    walked.dynamicAnchors.set(resource, named);
    return named;
  }

  function resolve({ schema, at, resource, keyword, reference }: Reference): void {
    const from = append(at, keyword);
    const target = find(reference, resource, from);
    const targets = walked.targets.get(schema) ?? new Map<string, Target>();
    walked.targets.set(schema, targets.set(keyword, target));
    todo.push(target.place);
  }

  function find(reference: string, resource: string, from: string): Target {
    const [uri, fragment] = split(reference, resource, from);
    const document = documents.get(uri) ?? addMetaSchema(uri);
    if (document === undefined)
      throw new Refused(
        `the reference ${JSON.stringify(reference)} leads outside the schema, at ${shown(from)}`,
      );
    const named = fragment === '' ? document : anchors.get(`${uri}#${fragment}`);
    const dynamic = walked.dynamicAnchors.get(uri)?.get(fragment);
    if (named) return dynamic ? { place: dynamic, anchor: fragment } : { place: named };
    const place = fragment.startsWith('/') ? follow(document, uri, fragment) : undefined;
    if (place === undefined)
      throw new Refused(`the reference ${JSON.stringify(reference)} leads nowhere, at ${shown(from)}`);
    return { place };
  }

  /** A document that is known without being sent; undefined if the URI names none. */
  function addMetaSchema(uri: string): Place | undefined {
    const schema = metaSchemaAt(uri, draft);
    if (schema === undefined) return undefined;
    const place: Place = { schema, at: `${uri}#`, resource: uri };
    documents.set(uri, place);
    todo.push(place);
    walk();
    return place;
  }

  /** The schema at a pointer into a resource; undefined if there is none. */
  function follow(document: Place, uri: string, pointer: string): Place | undefined {
    let { schema, at } = document;
    let resource = uri;
    for (const key of fromPointer(pointer)) {
      if (typeof schema !== 'object' || schema === null || !Object.hasOwn(schema, key)) return undefined;
      schema = (schema as Record<string, unknown>)[key];
      at = append(at, key);
      if (isObject(schema)) resource = walked.places.get(schema)?.resource ?? resource;
    }
    return isObject(schema) || typeof schema === 'boolean' ? { schema, at, resource } : undefined;
  }
}

function name(names: Map<string, Place>, uri: string, place: Place, at: string): void {
  const other = names.get(uri);
  if (other && !isDeepStrictEqual(other.schema, place.schema))
    throw new Refused(`two parts of the schema have the same identifier, at ${shown(at)}`);
  names.set(uri, place);
}

function split(reference: string, base: string, at: string): [uri: string, fragment: string] {
  if (reference.length > limits.uriLength || base.length > limits.uriLength)
    throw new Refused(`a URI has more than ${limits.uriLength} characters, at ${shown(at)}`);
  try {
    if (reference.startsWith('#')) return [base, decodeURIComponent(reference.slice(1))];
    const url = new URL(reference, base);
    const fragment = decodeURIComponent(url.hash.slice(1));
    url.hash = '';
    return [url.href, fragment];
  } catch {
    throw new Refused(`${JSON.stringify(reference)} is not a URI reference, at ${shown(at)}`);
  }
}

function checkPattern(pattern: string, at: string): void {
  try {
    translatePattern(pattern);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw new Refused(`the pattern ${error.message}, at ${shown(at)}${error.advice}`);
  }
}

const types = ['integer', 'number', 'string', 'boolean', 'object', 'array', 'null'];

/** Names the unknown type. The meta-schema would only say that it is not an allowed value. */
function checkTypes(value: unknown, at: string): void {
  const unknown = [value].flat().find((type) => typeof type === 'string' && !types.includes(type));
  if (unknown === undefined) return;
  const use = `use ${types.slice(0, -1).join(', ')} or ${types.at(-1)}`;
  throw new Refused(
    `\`${String(unknown).slice(0, limits.shownName)}\` is not a type, at ${shown(at)}: ${use}`,
  );
}
