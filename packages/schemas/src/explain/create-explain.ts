import { parseExactJson, parseJson } from '@sluice/json/parse-json.ts';
import type { Linked } from '../compile/link.ts';
import type { Draft } from '../draft.ts';
import { limits } from '../limits.ts';
import { isObject } from '../schema.ts';
import { budget } from '../validate/runtime.ts';
import { correct } from './correct.ts';
import { toIssue } from './describe.ts';
import type { Issue } from './issue.ts';
import { compile } from './plain-ajv.ts';

export interface Explanation {
  /** Empty if Ajv finds nothing wrong. */
  issues: Issue[];
  /** Whether Ajv is known to judge such a schema and such a payload right. */
  isExact: boolean;
}

export interface Explain {
  explain(body: Buffer): Explanation;
  /** About the memory that it takes. */
  bytes: number;
}

/** Finds what is wrong with payloads by a linked schema. Throws plain errors for what Ajv cannot compile. */
export function createExplain(linked: Linked, draft: Draft): Explain {
  const { errorsOf, bytes } = compile(linked, draft);
  const isExactSchema = !linked.usesMetaSchema && !hasInexact(linked.schema);
  return {
    bytes,
    explain(body) {
      // The time of the question bounds it instead.
      budget.refill(Number.POSITIVE_INFINITY);
      const text = body.toString();
      const mayBeLarge = largeNumber.test(text);
      const payload = parseJson(text);
      const exact = mayBeLarge ? parseExactJson(text) : payload;
      const issues: Issue[] = [];
      for (const error of errorsOf(payload)) {
        if (issues.length >= limits.maxDetails) break;
        issues.push(...correct(error, exact, linked.schema).map(toIssue));
      }
      return {
        issues: issues.slice(0, limits.maxDetails),
        isExact: isExactSchema && !mayBeLarge && !text.includes('__proto__'),
      };
    },
  };
}

/** A number that may be beyond 2^53. */
const largeNumber = /\d{16}|\de/i;

/**
 * Ajv divides doubles, reuses the last result for an empty array in a loop, and mixes up what is evaluated in branches.
 * Within `not` and `if` it skips what follows a short tuple, and does not require the empty name.
 */
const inexact = new Set(['multipleOf', 'contains', 'unevaluatedItems', 'unevaluatedProperties', 'not', 'if']);

function hasInexact(schema: unknown): boolean {
  if (typeof schema === 'number') return !Number.isSafeInteger(schema) && Number.isInteger(schema);
  if (Array.isArray(schema)) return schema.some(hasInexact);
  if (!isObject(schema)) return typeof schema === 'bigint';
  return Object.entries(schema).some(([keyword, value]) => inexact.has(keyword) || hasInexact(value));
}
