import type { ValidateFunction } from 'ajv';
import { createBudget, OutOfSteps } from './budget.ts';
import { type Issue, toIssue } from './issue.ts';
import { limits } from './limits.ts';
import { createRuntime, type Runtime } from './runtime.ts';

export type Validator = {
  /** Null when the payload conforms, else what was wrong first. Synchronous, in bounded time. */
  validate(payload: unknown): Issue[] | null;
  /** For a payload in which `validate` found `first`: all that is wrong, up to limits.maxDetails. */
  explain(payload: unknown, first: Issue[]): Promise<Issue[]>;
  /** Characters of code held for this schema: what a cache may count. */
  size: number;
};

export type Run = (payload: unknown) => Issue[] | null;

export const tooManySteps: Issue = {
  path: '',
  keyword: 'budget',
  message: 'validation against this schema takes too many steps; simplify the schema or send less at once',
};

const isTooMany = (issues: Issue[]) => issues[0]?.keyword === tooManySteps.keyword;

export function createValidator(
  code: string,
  compileExhaustive: () => Promise<string | undefined>,
): Validator {
  const run = createRun(code);
  let exhaustive: Promise<Run | undefined> | undefined;
  return {
    size: code.length,
    validate: run,
    async explain(payload, first) {
      if (isTooMany(first)) return first;
      exhaustive ??= compileExhaustive().then(
        (all) => (all === undefined ? undefined : createRun(all)),
        () => undefined,
      );
      const all = (await exhaustive)?.(payload);
      return all && !isTooMany(all) ? all : first;
    },
  };
}

/** Makes generated code callable. It sees its runtime and the language, not this module. */
function createRun(code: string): Run {
  const budget = createBudget();
  const main = new Function('$', code) as (runtime: Runtime) => ValidateFunction;
  const check = main(createRuntime(budget.spend));
  return (payload) => {
    // Most payloads need no more than the base, so only the others are measured.
    const first = attempt(payload, limits.baseSteps);
    if (first !== 'out of steps') return first;
    const scaled = limits.stepsPerCharacter * textLength(payload);
    const second = scaled > limits.baseSteps ? attempt(payload, scaled) : first;
    return second === 'out of steps' ? [tooManySteps] : second;
  };

  function attempt(payload: unknown, steps: number): Issue[] | null | 'out of steps' {
    budget.refill(steps);
    try {
      // Anything but true, such as the promise of an asynchronous schema, is a refusal.
      if ((check(payload) as unknown) === true) return null;
      return (check.errors ?? []).slice(0, limits.maxDetails).map(toIssue);
    } catch (error) {
      // The stack ends where a schema refers to itself without going down into the payload.
      if (error instanceof OutOfSteps || error instanceof RangeError) return 'out of steps';
      throw error;
    } finally {
      check.errors = null;
    }
  }
}

function textLength(payload: unknown): number {
  try {
    return JSON.stringify(payload).length;
  } catch {
    // Nested too deeply to be written: it gets no more than the base.
    return 0;
  }
}
