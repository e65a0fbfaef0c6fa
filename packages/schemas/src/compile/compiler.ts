import type { Logger } from '@sluice/shared/logger.ts';
import type { Metrics } from '@sluice/shared/metrics/metrics.ts';
import { type Admission, unlimited } from '@sluice/threads/admission.ts';
import { createThread } from '@sluice/threads/thread.ts';
import type { Change } from '../changes/report.ts';
import { limits } from '../limits.ts';
import { createValidator, type Validator } from '../validate/validator.ts';
import type { CompileReply, CompileRequest } from './compile-thread.ts';

/** `warnings`: what is probably a slip in a new schema. `changes`: from the schema that is in force to this one. */
export type Compiled =
  | { ok: true; validator: Validator; warnings: string[]; changes: Change[] }
  | { ok: false; problem: string };

interface CompileOptions {
  /** Whose it is: clients have turns. */
  client?: string;
  /** It is not an application's yet: a number that no double holds, or a key twice, is refused too. */
  isNew?: boolean;
  /** The schema in force, as text, where this one is meant to replace it. */
  inForce?: string;
}

export type Compiler = {
  /**
   * Checks and compiles a schema given as text. Rejects where `capacity` does, and when the compiler is closed or its thread
   * cannot start.
   */
  compile(raw: string, options?: CompileOptions): Promise<Compiled>;
  close(): Promise<void>;
};

/**
 * Compiles in one thread of its own, started at the first need, that does not keep the process alive. `deadlineMs`: the
 * processor time for a new schema; one that was accepted before has ten times as long. `capacity` limits how many wait.
 */
export function createCompiler({
  deadlineMs = limits.compileDeadlineMs,
  capacity = unlimited,
  metrics,
  log,
}: {
  deadlineMs?: number;
  capacity?: Admission;
  metrics?: Pick<Metrics, 'observe'>;
  log?: Pick<Logger, 'error'>;
} = {}): Compiler {
  const timeOf = (result: string) => metrics?.observe('sluice_schema_compile_duration_seconds', { result });
  const times = { ok: timeOf('ok'), refused: timeOf('refused'), failed: timeOf('failed') };
  const onDefect = (error: unknown) => log?.error({ event: 'validator.defect', err: error });
  const thread = createThread<CompileRequest, CompileReply>({
    name: 'the schema compiler',
    file: new URL('./compile-thread.ts', import.meta.url),
    heapMb: limits.compileHeapMb,
    deadlineMs,
    tooLong: { problem: 'the schema takes too long to compile' },
    tooLarge: { problem: 'the schema takes too much memory to compile' },
  });
  // What was accepted on a quiet machine must load on a busy one.
  const accepted = { deadlineMs: 10 * deadlineMs };

  async function ask(client: string, request: CompileRequest): Promise<CompileReply> {
    const began = performance.now();
    let result: keyof typeof times = 'failed';
    try {
      const options = request.isNew ? {} : accepted;
      const answer = await capacity.run(client, () => thread.ask(client, request, options));
      result = 'problem' in answer ? 'refused' : 'ok';
      return answer;
    } finally {
      times[result]?.((performance.now() - began) / 1_000);
    }
  }

  return {
    async compile(raw, { client = '', isNew = false, inForce } = {}) {
      const answer = await ask(client, { raw, isNew, exhaustive: false, inForce });
      if ('problem' in answer) return { ok: false, problem: answer.problem };
      const { warnings, changes, ...generated } = answer;
      const validator = createValidator(generated, () => compileExhaustive(raw, client), onDefect);
      return { ok: true, validator, warnings, changes };
    },
    close: thread.close,
  };

  // Keeps the text, not the parsed schema: it is needed only when a payload is explained for the first time.
  async function compileExhaustive(raw: string, client: string) {
    const answer = await ask(client, { raw, isNew: false, exhaustive: true });
    return 'code' in answer ? answer : undefined;
  }
}
