import { toJson } from '@sluice/json/numbers.ts';
import { OutOfSteps, withSteps } from '../budget.ts';
import { limits } from '../limits.ts';
import { accepts, type Rules } from './accepts.ts';

export type Verdict = 'conforms' | 'does not conform' | 'too many steps';

/** Whether a payload conforms, if that is known after so many steps. */
export function judge(rules: Rules, payload: unknown, steps: number): Verdict {
  try {
    return withSteps(steps, () => accepts(rules, payload, undefined)) ? 'conforms' : 'does not conform';
  } catch (error) {
    // A schema that refers to itself at the same value overflows the stack.
    if (error instanceof OutOfSteps || error instanceof RangeError) return 'too many steps';
    throw error;
  }
}

/** With the steps that every payload gets, and more for a long one. Takes up to seconds. */
export function judgeFully(rules: Rules, payload: unknown): Verdict {
  const first = judge(rules, payload, limits.baseSteps);
  // Most payloads need fewer than the base steps, so only the others are measured.
  if (first !== 'too many steps') return first;
  const scaled = limits.stepsPerCharacter * textLength(payload);
  return scaled > limits.baseSteps ? judge(rules, payload, scaled) : first;
}

function textLength(payload: unknown): number {
  try {
    return toJson(payload).length;
  } catch {
    // The payload is nested too deeply to be printed, so it gets only the base steps.
    return 0;
  }
}
