import { readPayload } from '@sluice/bson/read-payload.ts';
import { serve } from '@sluice/threads/serve.ts';
import { changesBetween } from '../changes/changes-between.ts';
import type { Change } from '../changes/report.ts';
import { type Checked, checkSchema } from '../check/check.ts';
import { checkAndLink } from '../check/check-and-link.ts';
import { link } from '../check/link.ts';
import { misspeltKeywords } from '../check/misspelt.ts';
import { unnamedRequired } from '../check/unnamed.ts';
import { draftWarnings } from '../draft.ts';
import type { Outline } from '../judge/compiled-schema.ts';
import { type Members, membersIn } from '../patterns/property.ts';
import { Refused } from '../refusal.ts';
import { parseSchema } from '../schema.ts';
import { outlineOf } from './outline.ts';

/** A request to the thread of ./compiler.ts, which keeps no state between requests. */
export interface CompileRequest {
  /** The schema as text. */
  raw: string;
  /** No application has the schema yet, so more is refused. */
  isNew: boolean;
  /** The text of the current schema, to list the changes. */
  inForce?: string;
}

export type CompileReply =
  | {
      outline: Outline;
      /** What the property escapes of patterns match. */
      members: Members;
      warnings: string[];
      changes: Change[];
    }
  | { problem: string };

// Warms up Ajv, so that the first schema does not pay for it.
checkAndLink(checkSchema('{"type":"object"}'));

serve<CompileRequest, CompileReply>(({ raw, isNew, inForce }) => {
  try {
    if (isNew) refuseInexact(raw);
    const checked = checkSchema(raw);
    const warnings = isNew ? warningsOf(checked) : [];
    // An accepted schema was checked before.
    const linked = isNew ? checkAndLink(checked) : link(checked.schema, checked.draft, checked.walk);
    const outline = outlineOf(linked, checked.draft);
    const changes = inForce === undefined ? [] : changesBetween(parseSchema(inForce), checked.schema);
    return { outline, members: membersIn(outline.linked), warnings, changes };
  } catch (error) {
    return { problem: describe(error) };
  }
});

const mostWarnings = 20;

const warningsOf = ({ schema, walk, draft }: Checked) =>
  [...draftWarnings(schema.$schema), ...misspeltKeywords(walk, draft), ...unnamedRequired(walk)].slice(
    0,
    mostWarnings,
  );

/** Ajv throws plain errors for schemas that it cannot compile. */
function describe(error: unknown): string {
  if (error instanceof Refused) return error.message;
  if (error instanceof RangeError) return 'the schema is nested or referenced too deeply to compile';
  return `the schema does not compile: ${error instanceof Error ? error.message.slice(0, 300) : 'unknown reason'}`;
}

const inexact = new Set(['exactNumber', 'integerRange', 'uniqueKeys']);

/** A changed number or a duplicate key would change the meaning of the schema. */
function refuseInexact(schema: string): void {
  const reading = readPayload(Buffer.from(schema));
  if (reading.ok || reading.kind !== 'inexact') return;
  const issue = reading.issues.find(({ keyword }) => inexact.has(keyword));
  if (issue) throw new Refused(`${issue.message}, at ${issue.path}`);
}
