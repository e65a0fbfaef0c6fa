import { unavailable } from '@sluice/shared/errors.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import type { Metrics } from '@sluice/shared/metrics/metrics.ts';
import { type Admission, createThread, unlimited } from '@sluice/threads/thread.ts';
import type { Change } from '../changes/report.ts';
import { type CompiledSchema, createCompiledSchema } from '../judge/compiled-schema.ts';
import { limits } from '../limits.ts';
import { learnMembers } from '../patterns/property.ts';
import { createSharing } from '../sharing.ts';
import { createValidator, type Validator } from '../validate/validator.ts';
import type { CompileReply, CompileRequest } from './compile-thread.ts';

/** `warnings`: probable mistakes in a new schema. `changes`: since the schema `inForce`. */
export type Compiled =
  | { ok: true; schema: CompiledSchema; validator: Validator; warnings: string[]; changes: Change[] }
  | { ok: false; problem: string };

interface CompileOptions {
  /** Clients take turns. */
  client?: string;
  /** No application has the schema yet, so numbers that change and duplicate keys are refused too. */
  isNew?: boolean;
  /** The text of the current schema, if this one may replace it. */
  inForce?: string;
  /** Code is generated only when a payload needs it, where rules say what conforms. Equal schemas share a validator. */
  isLazy?: boolean;
}

export type Compiler = {
  /** Compiles the text of a schema. Rejects if `capacity` does, or the compiler is closed or cannot start. */
  compile(raw: string, options?: CompileOptions): Promise<Compiled>;
  close(): Promise<void>;
};

/** Compiles schemas in a thread. `deadlineMs`: the processor time for a new schema. `capacity` limits how many wait. */
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
  const shared = createSharing<{ schema: CompiledSchema; validator: Validator }>();
  // A schema that a quiet machine accepted must also load on a busy one.
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

  async function generate(raw: string, client: string, form: 'first' | 'exhaustive') {
    const answer = await ask(client, { raw, isNew: false, form });
    if ('generated' in answer) return answer.generated;
    // The schema compiled before, so only time or memory can be missing now.
    if (form === 'first') throw unavailable(`the schema cannot be compiled now: ${answer.problem}`);
    return undefined;
  }

  return {
    async compile(raw, { client = '', isNew = false, inForce, isLazy = false } = {}) {
      const answer = await ask(client, { raw, isNew, form: isLazy ? 'outline' : 'first', inForce });
      if ('problem' in answer) return { ok: false, problem: answer.problem };
      const { outline, members, generated, warnings, changes } = answer;
      learnMembers(members);
      const create = () => {
        const schema = createCompiledSchema(outline);
        const size = schema.size + (generated ? generated.code.length * 3 : 0);
        const validator = createValidator((form) => generate(raw, client, form), {
          schema,
          generated,
          onDefect,
          size,
        });
        return { schema, validator };
      };
      const { schema, validator } = isLazy ? shared(outline.hash, create) : create();
      return { ok: true, schema, validator, warnings, changes };
    },
    close: thread.close,
  };
}
