import type { Generated } from '../compile/generate.ts';
import { limits } from '../limits.ts';
import { OutOfSteps } from './budget.ts';
import { createRun, type Issue, isTooMany, type Run } from './run.ts';

export type Validator = {
  /** Null if the payload conforms, else the first fault. Takes bounded time. */
  validate(payload: unknown): Issue[] | null;
  /** All faults, up to limits.maxDetails, of a payload in which `validate` found `first`. */
  explain(payload: unknown, first: Issue[]): Promise<Issue[]>;
  /** The same in about a millisecond each. Throw OutOfSteps if that is not enough, or the schema is large. */
  quick: Pick<Validator, 'validate' | 'explain'>;
  /** Code for another thread: it finds the first issue. */
  code: string;
  /** Code that finds all issues; undefined if it cannot be compiled. */
  exhaustiveCode(): Promise<string | undefined>;
  /** Characters of both codes, for the size of caches. */
  size: number;
};

/** If generated code fails while it explains, `onDefect` gets the error, and only the first issue is known. */
export function createValidator(
  generated: Generated,
  compileExhaustive: () => Promise<Generated | undefined>,
  onDefect: (error: unknown) => void = () => {},
): Validator {
  const first = once(() => createRun(generated.code));
  let compiling: Promise<Generated | undefined> | undefined;
  let all: Run | undefined;

  const exhaustive = () => {
    compiling ??= compileExhaustive().catch(() => undefined);
    return compiling;
  };
  async function runAll(isQuick: boolean, payload: unknown) {
    const found = await exhaustive();
    if (!found) return undefined;
    if (isQuick) expectQuick(found);
    all ??= createRun(found.code);
    return isQuick ? all.quickly(payload) : all.run(payload);
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
    code: generated.code,
    exhaustiveCode: async () => (await exhaustive())?.code,
    // The exhaustive code is compiled when a payload is first explained.
    size: 2 * generated.code.length,
    validate: (payload) => first().run(payload),
    explain: (payload, known) => explain(false, payload, known),
    quick: {
      validate(payload) {
        expectQuick(generated);
        return first().quickly(payload);
      },
      explain: (payload, known) => explain(true, payload, known),
    },
  };
}

/** Throws OutOfSteps if making the code callable takes longer than a quick validation may. */
function expectQuick({ code, instructions }: Generated): void {
  if (code.length > limits.quickCodeLength || instructions > limits.quickInstructions) throw new OutOfSteps();
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
