import { readPayload } from '@sluice/json/read-payload.ts';
import { serve } from '@sluice/shared/threads/serve.ts';
import { type Checked, checkSchema } from '../check/check.ts';
import { misspeltKeywords } from '../check/misspelt.ts';
import { Refused } from '../check/refusal.ts';
import { draftWarnings } from '../draft.ts';
import { type Generated, generate } from './generate.ts';

/** The thread of ./compiler.ts: stateless from one request to the next. */
export interface CompileRequest {
  /** The schema as text. */
  raw: string;
  /** It is not an application's yet: more is refused. */
  isNew: boolean;
  exhaustive: boolean;
}

export type CompileReply = (Generated & { warnings: string[] }) | { problem: string };

// The start of the thread is not the first schema's time.
generate(checkSchema('{"type":"object"}'), false);

serve<CompileRequest, CompileReply>(({ raw, isNew, exhaustive }) => {
  try {
    if (isNew) refuseInexact(raw);
    const checked = checkSchema(raw);
    const warnings = isNew ? warningsOf(checked) : [];
    return { ...generate(checked, exhaustive), warnings };
  } catch (error) {
    return { problem: describe(error) };
  }
});

const warningsOf = ({ schema, walk, draft }: Checked) => [
  ...draftWarnings(schema.$schema),
  ...misspeltKeywords(walk, draft),
];

/** Ajv throws plain errors for what it cannot compile: all are the schema's doing. */
function describe(error: unknown): string {
  if (error instanceof Refused) return error.message;
  if (error instanceof RangeError) return 'the schema is nested or referenced too deeply to compile';
  return `the schema does not compile: ${error instanceof Error ? error.message.slice(0, 300) : 'unknown reason'}`;
}

const inexact = new Set(['exactNumber', 'integerRange', 'uniqueKeys']);

/** A number that is not kept, or a key twice, would mean something else than it says. */
function refuseInexact(schema: string): void {
  const reading = readPayload(Buffer.from(schema));
  if (reading.ok || reading.kind !== 'inexact') return;
  const issue = reading.issues.find(({ keyword }) => inexact.has(keyword));
  if (issue) throw new Refused(`${issue.message}, at ${issue.path}`);
}
