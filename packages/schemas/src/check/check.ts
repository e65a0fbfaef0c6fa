import { explainSyntax } from '@sluice/json/explain-syntax.ts';
import { toJson } from '@sluice/json/numbers.ts';
import { parseExactJson } from '@sluice/json/parse-json.ts';
import { type Draft, draftOf, metaSchemaUris } from '../draft.ts';
import { limits } from '../limits.ts';
import { append, Refused, shown } from '../refusal.ts';
import { isObject } from '../schema.ts';
import { checkWalk, type Walk } from './check-walk.ts';

export interface Checked {
  schema: Record<string, unknown>;
  draft: Draft;
  walk: Walk;
}

/** Reads a schema given as text, and refuses schemas that must not be compiled. Cheap. Throws Refused. */
export function checkSchema(raw: string): Checked {
  const bytes = Buffer.byteLength(raw);
  if (bytes > limits.schemaBytes)
    throw new Refused(`the schema has ${bytes} bytes; at most ${limits.schemaBytes} are allowed`);
  let schema: unknown;
  try {
    schema = parseExactJson(raw);
  } catch (error) {
    throw new Refused(`the schema is not JSON: ${explainSyntax(raw, error)}`);
  }
  if (!isObject(schema)) throw new Refused('the schema must be a JSON object');
  checkShape(schema);
  if (schema.type !== 'object') throw new Refused('the root of the schema must have "type": "object"');
  const draft = draftOf(schema.$schema);
  if (!draft) throw new Refused(unknownDraft(schema.$schema));
  return { schema, draft, walk: checkWalk(schema, draft) };
}

function unknownDraft($schema: unknown): string {
  const given = toJson($schema).slice(0, limits.shownText);
  const known = Object.values(metaSchemaUris).join(', ');
  return `${given} names no draft that Sluice knows, at /$schema: remove $schema, or use one of ${known}`;
}

/** Limits depth and number of values, and refuses `__proto__`, wherever they are. Does not recurse. */
export function checkShape(schema: Record<string, unknown>): void {
  const stack: { value: unknown; depth: number; at: string }[] = [{ value: schema, depth: 1, at: '' }];
  let nodes = 0;
  for (let top = stack.pop(); top; top = stack.pop()) {
    const { value, depth, at } = top;
    if (++nodes > limits.schemaNodes)
      throw new Refused(`the schema has more than ${limits.schemaNodes} values`);
    if (typeof value !== 'object' || value === null) continue;
    if (depth > limits.schemaDepth)
      throw new Refused(`the schema is nested deeper than ${limits.schemaDepth} levels at ${shown(at)}`);
    for (const [key, child] of Object.entries(value)) {
      if (key === '__proto__')
        throw new Refused(`the name __proto__ is not allowed at ${shown(append(at, key))}`);
      stack.push({ value: child, depth: depth + 1, at: typeof child === 'object' ? append(at, key) : at });
    }
  }
}
