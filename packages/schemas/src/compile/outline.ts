import { createHash } from 'node:crypto';
import { toJson } from '@sluice/json/numbers.ts';
import { rulesOf } from '../accept/rules-of.ts';
import type { Linked } from '../check/link.ts';
import { limits } from '../limits.ts';
import { buildPattern } from '../patterns/linear-regexp.ts';
import { type Members, membersIn } from '../patterns/property.ts';
import { runtime } from '../runtime.ts';

/** What another thread makes rules from. */
export interface Outline {
  /** Absent if that would take too long, or rules cannot say what the schema means. */
  linked: Linked | undefined;
  /** The same for schemas that differ only in notes, in spaces, and in where definitions are and how they are named. */
  hash: string;
  /** Characters of the linked schema. */
  length: number;
  /** The RE2 instructions of all patterns, if there are rules. */
  instructions: number;
  /** What the property escapes of patterns match. */
  members: Members;
}

export function outlineOf(linked: Linked): Outline {
  const text = toJson(linked.schema);
  const { length } = text;
  const hash = createHash('sha256').update(text).digest('base64');
  const sources = length <= limits.quickSchemaLength ? patternsOf(linked) : undefined;
  const instructions = (sources ?? []).reduce((sum, source) => sum + buildPattern(source).size, 0);
  const isQuick = sources !== undefined && instructions <= limits.quickInstructions;
  return { linked: isQuick ? linked : undefined, hash, length, instructions, members: membersIn(text) };
}

/** The patterns of a schema; undefined if it has no rules. */
function patternsOf(linked: Linked): string[] | undefined {
  const sources = new Set<string>();
  const rules = rulesOf(linked, (source) => {
    sources.add(source);
    return runtime.pattern(source);
  });
  return rules && [...sources];
}
