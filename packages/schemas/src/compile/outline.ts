import { createHash } from 'node:crypto';
import { toJson } from '@sluice/json/numbers.ts';
import type { Draft } from '../draft.ts';
import type { Outline } from '../judge/compiled-schema.ts';
import { rulesOf } from '../judge/rules-of.ts';
import { limits } from '../limits.ts';
import { buildPattern, linearRegExp } from '../patterns/linear-regexp.ts';
import { Refused } from '../refusal.ts';
import type { Schema } from '../schema.ts';

/** Throws Refused where the schema or its patterns are too large. */
export function outlineOf(schema: Schema, draft: Draft): Outline {
  const linked = toJson(schema);
  if (linked.length > limits.linkedLength)
    throw new Refused('the schema is too large once its references expand');
  const hash = createHash('sha256').update(linked).digest('base64');
  return { linked, draft, hash, instructions: instructionsOf(patternsOf(schema)) };
}

function patternsOf(schema: Schema): Set<string> {
  const sources = new Set<string>();
  rulesOf(schema, (source) => {
    sources.add(source);
    return linearRegExp(source);
  });
  return sources;
}

function instructionsOf(sources: Set<string>): number {
  let total = 0;
  for (const source of sources) {
    total += sizeOf(source);
    if (total > limits.schemaInstructions)
      throw new Refused('the patterns of the schema are too large together');
  }
  return total;
}

function sizeOf(source: string): number {
  try {
    return buildPattern(source).size;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw new Refused(`the pattern ${JSON.stringify(source.slice(0, limits.shownName))} ${error.message}`);
  }
}
