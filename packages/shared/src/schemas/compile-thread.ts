import { serve } from '../threads/serve.ts';
import { checkSchema } from './check.ts';
import { findInexact } from './find-inexact.ts';
import { type Generated, generate } from './generate.ts';
import { Refused } from './refusal.ts';

/** The thread of ./compiler.ts: stateless from one request to the next. */
export interface CompileRequest {
  /** The schema as text. */
  raw: string;
  /** It is not an application's yet: more is refused. */
  isNew: boolean;
  exhaustive: boolean;
}

export type CompileReply = Generated | { problem: string };

// The start of the thread is not the first schema's time.
generate({ type: 'object' }, '2020-12', false);

serve<CompileRequest, CompileReply>(({ raw, isNew, exhaustive }) => {
  const inexact = isNew ? findInexact(raw) : undefined;
  if (inexact) return { problem: inexact };
  const checked = checkSchema(raw);
  if (!checked.ok) return { problem: checked.refusal.message };
  try {
    return generate(checked.schema, checked.draft, exhaustive);
  } catch (error) {
    return { problem: describe(error) };
  }
});

/** Ajv throws plain errors for what it cannot compile: all are the schema's doing. */
function describe(error: unknown): string {
  if (error instanceof Refused) return error.message;
  if (error instanceof RangeError) return 'the schema is nested or referenced too deeply to compile';
  return `the schema does not compile: ${error instanceof Error ? error.message.slice(0, 300) : 'unknown reason'}`;
}
