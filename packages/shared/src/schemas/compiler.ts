import { checkSchema } from './check.ts';
import { createCompileThread } from './compile-queue.ts';
import { limits } from './limits.ts';
import type { SchemaRefusal } from './refusal.ts';
import { createValidator, type Validator } from './validator.ts';

export type Compiled = { ok: true; validator: Validator } | { ok: false; refusal: SchemaRefusal };

export type Compiler = {
  /** Checks and compiles a schema given as text. Rejects only when the compiler is closed or its thread cannot start. */
  compile(raw: string): Promise<Compiled>;
  close(): Promise<void>;
};

/** Compiles in one thread of its own, started at the first need, that does not keep the process alive. */
export function createCompiler({
  deadlineMs = limits.compileDeadlineMs,
}: {
  deadlineMs?: number;
} = {}): Compiler {
  const thread = createCompileThread(deadlineMs);
  return {
    async compile(raw) {
      const checked = checkSchema(raw);
      if (!checked.ok) return checked;
      const { schema, draft } = checked;
      const answer = await thread.generate({ schema, draft, exhaustive: false });
      if ('problem' in answer) return { ok: false, refusal: { message: answer.problem } };
      return { ok: true, validator: createValidator(answer.code, () => compileExhaustive(raw)) };
    },
    close: thread.close,
  };

  // Keeps the text, not the parsed schema: it is needed only when a payload is explained for the first time.
  async function compileExhaustive(raw: string): Promise<string | undefined> {
    const checked = checkSchema(raw);
    if (!checked.ok) return undefined;
    const answer = await thread.generate({ schema: checked.schema, draft: checked.draft, exhaustive: true });
    return 'code' in answer ? answer.code : undefined;
  }
}
