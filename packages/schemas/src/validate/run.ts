import { toJson } from '@sluice/json/numbers.ts';
import type { ValidateFunction } from 'ajv';
import { limits } from '../limits.ts';
import { createBudget, OutOfSteps } from './budget.ts';
import { type Issue, toIssue } from './issue.ts';
import { createRuntime, type Runtime } from './runtime.ts';

export interface Run {
  /** Null when the payload conforms. What takes too many steps does not. */
  run(payload: unknown): Issue[] | null;
  /** Throws OutOfSteps after limits.quickSteps. */
  quickly(payload: unknown): Issue[] | null;
}

const tooManySteps: Issue = {
  path: '',
  keyword: 'budget',
  message: 'validation against this schema takes too many steps; simplify the schema or send less at once',
};

export const isTooMany = (issues: Issue[]) => issues[0]?.keyword === tooManySteps.keyword;

/** Makes generated code callable. It sees its runtime and the language, not this module. */
export function createRun(code: string): Run {
  const budget = createBudget();
  const main = new Function('$', code) as (runtime: Runtime) => ValidateFunction;
  const check = main(createRuntime(budget.spend));
  return {
    run(payload) {
      // Most payloads need no more than the base, so only the others are measured.
      const first = attempt(payload, limits.baseSteps);
      if (first !== 'out of steps') return first;
      const scaled = limits.stepsPerCharacter * textLength(payload);
      const second = scaled > limits.baseSteps ? attempt(payload, scaled) : first;
      return second === 'out of steps' ? [tooManySteps] : second;
    },
    quickly(payload) {
      const found = attempt(payload, limits.quickSteps);
      if (found === 'out of steps') throw new OutOfSteps();
      return found;
    },
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
    return toJson(payload).length;
  } catch {
    // Nested too deeply to be written: it gets no more than the base.
    return 0;
  }
}
