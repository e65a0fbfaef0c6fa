import { hasAtMost } from '@sluice/json/has-at-most.ts';
import { parseExactJson, parseJson } from '@sluice/json/parse-json.ts';
import type { ErrorObject } from 'ajv';
import { limits } from '../limits.ts';
import { parseSchema } from '../schema.ts';
import { correct } from './correct.ts';
import { toIssue } from './describe.ts';
import type { Explained } from './explain-thread.ts';
import { findPlace } from './find-place.ts';
import { hasMember } from './has-member.ts';
import type { Issue } from './issue.ts';
import { type AjvFunction, compile } from './plain-ajv.ts';

export interface Explanation {
  /** Empty if the payload conforms. */
  issues: Issue[];
  /** Whether Ajv sees them. If not, the judge told the place of one. */
  isSeen: boolean;
  /** Whether Ajv is known to judge such a schema and such a payload right. */
  isExact: boolean;
}

export interface Explain {
  explain(body: Buffer): Explanation;
  /** About the memory that it takes. */
  bytes: number;
}

/** Finds what is wrong with payloads. */
export function createExplain({ linked, draft, isSlow }: Omit<Explained, 'hash'>): Explain {
  const schema = parseSchema(linked);
  const { errorsOf, bytes }: AjvFunction = isSlow
    ? { errorsOf: () => undefined, bytes: 0 }
    : compile(schema, draft);
  const isExactSchema = !largeNumber.test(linked) && !hasMember(schema, (name) => inexact.has(name));

  function issuesOf(errors: ErrorObject[], exact: unknown): Issue[] {
    const issues: Issue[] = [];
    for (const error of errors) {
      issues.push(...correct(error, exact, schema).map(toIssue));
      if (issues.length >= limits.maxDetails) break;
    }
    return issues.slice(0, limits.maxDetails);
  }

  return {
    bytes: bytes + linked.length * 4,
    explain(body) {
      const text = body.toString();
      const mayBeLarge = largeNumber.test(text);
      const payload = parseJson(text);
      const exact = mayBeLarge ? parseExactJson(text) : payload;
      const errors = hasAtMost(limits.explainedValues, ',{[', body) ? errorsOf(payload) : undefined;
      const issues = issuesOf(errors ?? [], exact);
      const isSeen = issues.length > 0;
      const place = isSeen ? undefined : findPlace(schema, exact);
      return {
        issues: place ? [place] : issues,
        isSeen,
        isExact: errors !== undefined && isExactSchema && !mayBeLarge && !misleading.test(text),
      };
    },
  };
}

/** A number that may be beyond 2^53. */
const largeNumber = /[\s[,:-](?:\d{16}|\d[\d.]*e)/i;

/**
 * Ajv divides doubles, reuses the last result for an empty array in a loop, and mixes up what is evaluated in branches.
 * Within `not` and `if` it skips what follows a short tuple, and does not require the empty name.
 */
const inexact = new Set(['multipleOf', 'contains', 'unevaluatedItems', 'unevaluatedProperties', 'not', 'if']);

/** It has lists of texts in objects, and calls such members of what it compares. */
const misleading = /__proto__|"(?:constructor|toString|valueOf)"/;
