import { type Draft, draftOf, idKeyword, metaSchemaUris } from './draft.ts';
import { isObject } from './is-object.ts';
import { inNamedSchemas, inSchema, references, takesData } from './keywords.ts';
import { limits } from './limits.ts';
import { translatePattern } from './pattern.ts';
import { append, follow, shown } from './pointer.ts';
import { Refused } from './refusal.ts';

type Place = { schema: unknown; at: string; base: string };

const rootUri = 'sluice://schema/';

/**
 * Walks everything that is a schema, also where only a reference makes it one, and refuses what is not
 * allowed in one; returns all that it found. What is a value (enum, const, default, examples) or a name is not looked at.
 */
export function checkWalk(root: Record<string, unknown>, draft: Draft): Set<Record<string, unknown>> {
  const id = idKeyword(draft);
  const todo: Place[] = [{ schema: root, at: '', base: rootUri }];
  const seen = new Set<Record<string, unknown>>();
  /** Where each identified part of the document begins, by URI without fragment. */
  const documents = new Map<string, unknown>([[rootUri, root]]);
  const anchors = new Set<string>();
  const found: (Place & { keyword: string; reference: string })[] = [];

  let dynamic: string | undefined;
  walk();
  // A reference's target is a schema too, wherever it lies; walking it can add references.
  for (let next = found.shift(); next; next = found.shift()) {
    resolve(next);
    walk();
  }
  if (dynamic !== undefined && new Set(documents.values()).size > 1)
    throw new Refused(`dynamic references are not supported between several $id, at ${shown(dynamic)}`);
  return seen;

  function walk(): void {
    for (let place = todo.pop(); place; place = todo.pop()) {
      if (!isObject(place.schema) || seen.has(place.schema)) continue;
      seen.add(place.schema);
      visit(place.schema, place.at, place.base);
    }
  }

  function visit(schema: Record<string, unknown>, at: string, outer: string): void {
    if ('$async' in schema) throw new Refused(`$async is not allowed, at ${shown(append(at, '$async'))}`);
    if (at !== '' && schema.$schema !== undefined && draftOf(schema.$schema) !== draft)
      throw new Refused(`a part of the schema names another draft, at ${shown(append(at, '$schema'))}`);
    const base = identify(schema, at, outer);
    for (const anchor of [schema.$anchor, schema.$dynamicAnchor])
      if (typeof anchor === 'string') anchors.add(`${base}#${anchor}`);
    for (const keyword of references) {
      const reference = schema[keyword];
      if (typeof reference === 'string') found.push({ schema, at, base, keyword, reference });
    }
    if (typeof schema.pattern === 'string') checkPattern(schema.pattern, append(at, 'pattern'));
    if (isObject(schema.patternProperties))
      for (const pattern of Object.keys(schema.patternProperties))
        checkPattern(pattern, append(append(at, 'patternProperties'), pattern));
    for (const [keyword, value] of Object.entries(schema)) enter(keyword, value, append(at, keyword), base);
  }

  function enter(keyword: string, value: unknown, at: string, base: string): void {
    if (takesData.has(keyword) && isObject(value) && typeof value.$data === 'string' && keyword !== 'const')
      throw new Refused(`$data is not allowed, at ${shown(at)}`);
    if (inSchema.has(keyword) && !Array.isArray(value)) todo.push({ schema: value, at, base });
    else if (inSchema.has(keyword) || inNamedSchemas.has(keyword))
      for (const [name, schema] of Object.entries(value ?? {}))
        todo.push({ schema, at: append(at, name), base });
  }

  function identify(schema: Record<string, unknown>, at: string, outer: string): string {
    const value = schema[id];
    if (typeof value !== 'string') return outer;
    if (value.startsWith('#')) {
      anchors.add(`${outer}${value}`);
      return outer;
    }
    const [base] = split(value, outer, append(at, id));
    documents.set(base, schema);
    return base;
  }

  function resolve({ base, at, keyword, reference }: (typeof found)[number]): void {
    const place = append(at, keyword);
    const [uri, fragment] = split(reference, base, place);
    if (keyword !== '$ref') dynamic = place;
    if (isMetaSchema(uri)) return;
    const document = documents.get(uri);
    if (document === undefined)
      throw new Refused(
        `the reference ${JSON.stringify(reference)} leads outside the schema, at ${shown(place)}`,
      );
    if (fragment === '' || anchors.has(`${uri}#${fragment}`)) return;
    const target = fragment.startsWith('/') ? follow(document, fragment) : undefined;
    if (target === undefined)
      throw new Refused(`the reference ${JSON.stringify(reference)} leads nowhere, at ${shown(place)}`);
    todo.push({ schema: target, at: uri === rootUri ? fragment : place, base: uri });
  }
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

function isMetaSchema(uri: string): boolean {
  return Object.values(metaSchemaUris).some(
    (meta) => uri === meta || uri.startsWith(meta.replace(/schema$/, 'meta/')),
  );
}

function checkPattern(pattern: string, at: string): void {
  const translated = translatePattern(pattern);
  if (!translated.ok) throw new Refused(`the pattern ${translated.problem}, at ${shown(at)}`);
}
