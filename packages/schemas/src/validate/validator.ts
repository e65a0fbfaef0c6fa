import { OutOfSteps } from '../budget.ts';
import type { Generated } from '../compile/generate.ts';
import type { CompiledSchema } from '../judge/compiled-schema.ts';
import type { Verdict } from '../judge/judge.ts';
import { limits } from '../limits.ts';
import { createForm } from './form.ts';
import { type Issue, isTooMany, tooManySteps } from './run.ts';

export type Validator = {
  /** Null if the payload conforms, else the first fault. Takes bounded time. Throws OutOfSteps if `code` was never asked for. */
  validate(payload: unknown): Issue[] | null;
  /** All faults, up to limits.maxDetails, of a payload in which `validate` found `first`. */
  explain(payload: unknown, first: Issue[]): Promise<Issue[]>;
  /** The same in about a millisecond each. Throw OutOfSteps if that is not enough, or the schema is large. */
  quick: Pick<Validator, 'validate' | 'explain'>;
  /** Code for another thread: it finds the first issue. */
  code(): Promise<string>;
  /** Code that finds all issues; undefined if it cannot be compiled. */
  exhaustiveCode(): Promise<string | undefined>;
  /** About the bytes of memory that it takes, for the size of caches. */
  size: number;
};

/** Generates code that finds the first issue, or all. Resolves with undefined if that is not possible. */
export type GenerateCode = (form: 'first' | 'exhaustive') => Promise<Generated | undefined>;

interface Parts {
  /** It gives the verdict, so code is generated only for payloads that do not conform. */
  schema?: CompiledSchema | undefined;
  /** The code that finds the first issue, if there is one already. */
  generated?: Generated | undefined;
  /** If generated code fails while it explains, this gets the error, and only the first issue is known. */
  onDefect?: ((error: unknown) => void) | undefined;
  size?: number;
}

export function createValidator(
  generate: GenerateCode,
  { schema, generated, onDefect = () => {}, size = 0 }: Parts,
): Validator {
  const first = createForm(() => generate('first'), generated);
  const all = createForm(() => generate('exhaustive'));

  async function runAll(isQuick: boolean, payload: unknown) {
    const found = await all.get().catch(() => undefined);
    if (!found) return undefined;
    if (isQuick) expectQuick(found.generated);
    return isQuick ? found.run().quickly(payload) : found.run().run(payload);
  }
  async function explain(isQuick: boolean, payload: unknown, known: Issue[]): Promise<Issue[]> {
    if (isTooMany(known)) return known;
    const found = await runAll(isQuick, payload).catch((error) => {
      if (error instanceof OutOfSteps) throw error;
      onDefect(error);
      return undefined;
    });
    return found && !isTooMany(found) ? found : known;
  }

  return {
    size,
    async code() {
      const found = await first.get();
      if (!found) throw new Error('the code of an accepted schema cannot be generated');
      return found.generated.code;
    },
    exhaustiveCode: async () => (await all.get().catch(() => undefined))?.generated.code,
    validate(payload) {
      const verdict: Verdict = schema?.judge(payload) ?? 'does not conform';
      if (verdict === 'too many steps') return [tooManySteps];
      return verdict === 'conforms' ? null : (first.now().run().run(payload) ?? [unexplained]);
    },
    explain: (payload, known) => explain(false, payload, known),
    quick: {
      validate(payload) {
        const verdict: Verdict = schema?.judgeQuickly(payload) ?? 'does not conform';
        if (verdict === 'too many steps') throw new OutOfSteps();
        if (verdict === 'conforms') return null;
        const { generated, run } = first.now();
        expectQuick(generated);
        return run().quickly(payload) ?? [unexplained];
      },
      explain: (payload, known) => explain(true, payload, known),
    },
  };
}

const unexplained: Issue = { path: '', keyword: 'schema', message: 'does not conform to the schema' };

/** Throws OutOfSteps if making the code callable takes longer than a quick validation may. */
function expectQuick({ code, instructions }: Generated): void {
  if (code.length > limits.quickCodeLength || instructions > limits.quickInstructions) throw new OutOfSteps();
}
