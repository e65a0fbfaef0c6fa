import { explainSyntax } from '@sluice/json/explain-syntax.ts';
import { toJson } from '@sluice/json/numbers.ts';
import { parseExactJson } from '@sluice/json/parse-json.ts';
import { type Draft, draftOf, metaSchemaUris } from '../draft.ts';
import { isObject } from '../is-object.ts';
import { limits } from '../limits.ts';
import { checkShape } from './check-shape.ts';
import { checkWalk, type Walk } from './check-walk.ts';
import { Refused } from './refusal.ts';

export interface Checked {
  schema: Record<string, unknown>;
  draft: Draft;
  walk: Walk;
}

/**
 * Reads a schema given as text and refuses what may not be compiled, without compiling it. Synchronous and
 * cheap: its cost grows with the text, which is limited. Throws Refused.
 */
export function checkSchema(raw: string): Checked {
  const bytes = Buffer.byteLength(raw);
  if (bytes > limits.schemaBytes)
    throw new Refused(`the schema has ${bytes} bytes; at most ${limits.schemaBytes} are allowed`);
  const schema = parse(raw);
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

function parse(raw: string): unknown {
  try {
    return parseExactJson(raw);
  } catch (error) {
    throw new Refused(`the schema is not JSON: ${explainSyntax(raw, error)}`);
  }
}
