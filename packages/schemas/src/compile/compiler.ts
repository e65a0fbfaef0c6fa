import type { Metrics } from '@sluice/shared/metrics/metrics.ts';
import { type Admission, createThread, unlimited } from '@sluice/threads/thread.ts';
import type { Change } from '../changes/report.ts';
import { type CompiledSchema, createCompiledSchema } from '../judge/compiled-schema.ts';
import { limits } from '../limits.ts';
import { learnMembers } from '../patterns/property.ts';
import { createSharing } from '../sharing.ts';
import type { CompileReply, CompileRequest } from './compile-thread.ts';

/** `warnings`: probable mistakes in a new schema. `changes`: since the schema `inForce`. */
export type Compiled =
  | { ok: true; schema: CompiledSchema; warnings: string[]; changes: Change[] }
  | { ok: false; problem: string };

interface CompileOptions {
  /** Clients take turns. */
  client?: string;
  /** No application has the schema yet, so numbers that change and duplicate keys are refused too. */
  isNew?: boolean;
  /** The text of the current schema, if this one may replace it. */
  inForce?: string;
}

export type Compiler = {
  /** Compiles the text of a schema. Schemas that mean the same share what they become. Rejects if `capacity` does, or the compiler is closed or cannot start. */
  compile(raw: string, options?: CompileOptions): Promise<Compiled>;
  close(): Promise<void>;
};

/** Compiles schemas in a thread. `deadlineMs`: the processor time for a new schema. `capacity` limits how many wait. */
export function createCompiler({
  deadlineMs = limits.compileDeadlineMs,
  capacity = unlimited,
  metrics,
}: {
  deadlineMs?: number;
  capacity?: Admission;
  metrics?: Pick<Metrics, 'observe'>;
} = {}): Compiler {
  const timeOf = (result: string) => metrics?.observe('sluice_schema_compile_duration_seconds', { result });
  const times = { ok: timeOf('ok'), refused: timeOf('refused'), failed: timeOf('failed') };
  const thread = createThread<CompileRequest, CompileReply>({
    name: 'the schema compiler',
    file: new URL('./compile-thread.ts', import.meta.url),
    heapMb: limits.compileHeapMb,
    deadlineMs,
    tooLong: { problem: 'the schema takes too long to compile' },
    tooLarge: { problem: 'the schema takes too much memory to compile' },
  });
  const shared = createSharing<CompiledSchema>();
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

  return {
    async compile(raw, { client = '', isNew = false, inForce } = {}) {
      const answer = await ask(client, { raw, isNew, inForce });
      if ('problem' in answer) return { ok: false, problem: answer.problem };
      const { outline, members, warnings, changes } = answer;
      learnMembers(members);
      const schema = shared(outline.hash, () => createCompiledSchema(outline));
      return { ok: true, schema, warnings, changes };
    },
    close: thread.close,
  };
}
