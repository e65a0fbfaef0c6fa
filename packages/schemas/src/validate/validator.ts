import type { Generated } from '../compile/generate.ts';
import { limits } from '../limits.ts';
import { OutOfSteps } from './budget.ts';
import type { Issue } from './issue.ts';
import { createRun, isTooMany, type Run } from './run.ts';

export type Validator = {
  /** Null when the payload conforms, else what was wrong first. Synchronous, in bounded time. */
  validate(payload: unknown): Issue[] | null;
  /** For a payload in which `validate` found `first`: all that is wrong, up to limits.maxDetails. */
  explain(payload: unknown, first: Issue[]): Promise<Issue[]>;
  /** The same within about a millisecond each. Throw OutOfSteps where that is not enough, or the schema is large. */
  quick: Pick<Validator, 'validate' | 'explain'>;
  /** The code that finds the first issue, for a thread that runs it, and that which finds all; undefined when it cannot be had. */
  code: string;
  exhaustiveCode(): Promise<string | undefined>;
  /** Characters of code, of both forms, that are held for this schema: what a cache counts. */
  size: number;
};

/** `onDefect` hears of what the generated code throws while it explains; then only the first issue is known. */
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
    // The second form is compiled when a payload is first explained.
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

/** Throws OutOfSteps: to make it callable takes longer than a validation may. */
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
