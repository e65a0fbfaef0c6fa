import { OutOfSteps } from '../budget.ts';
import { limits } from '../limits.ts';
import { budget, type Runtime } from '../runtime.ts';
import { types } from '../types.ts';

export type Check<Value> = (value: Value) => boolean;

/** What a value must be to conform to a schema. A check is absent where it would pass every value. */
export interface Rules {
  /** The types that conform, as bits. */
  types: number;
  text: Check<string> | undefined;
  number: Check<number | bigint> | undefined;
  array: Check<unknown[]> | undefined;
  object: Check<Record<string, unknown>> | undefined;
  any: Check<unknown> | undefined;
}

/** What the parts of a schema become. */
export interface Parts {
  /** Undefined if a part is absent or accepts everything. */
  rulesOf(part: unknown): Rules | undefined;
  pattern: Runtime['pattern'];
}

/** About what generated code spends on a value. */
const stepsAValue = 8;

/** Whether a payload conforms, as far as that is known after limits.quickSteps: false may also mean that it is not. */
export function surelyAccepts(rules: Rules, payload: unknown): boolean {
  budget.refill(limits.quickSteps);
  try {
    return accepts(rules, payload);
  } catch (error) {
    // A schema that refers to itself at the same value overflows the stack.
    if (error instanceof OutOfSteps || error instanceof RangeError) return false;
    throw error;
  }
}

/** Whether a value conforms. All schemas share this code, so it is always hot. Throws OutOfSteps. */
export function accepts(rules: Rules, value: unknown): boolean {
  budget.spend(stepsAValue);
  return conformsByType(rules, value) && (rules.any === undefined || rules.any(value));
}

function conformsByType(rules: Rules, value: unknown): boolean {
  const { types: allowed } = rules;
  switch (typeof value) {
    case 'string':
      return (allowed & types.string) !== 0 && (rules.text === undefined || rules.text(value));
    case 'number': {
      const type = value % 1 === 0 ? types.integer : types.fraction;
      return (allowed & type) !== 0 && (rules.number === undefined || rules.number(value));
    }
    case 'bigint':
      return (allowed & types.integer) !== 0 && (rules.number === undefined || rules.number(value));
    case 'boolean':
      return (allowed & types.boolean) !== 0;
    default:
  }
  if (value === null) return (allowed & types.null) !== 0;
  if (Array.isArray(value))
    return (allowed & types.array) !== 0 && (rules.array === undefined || rules.array(value));
  return (
    (allowed & types.object) !== 0 &&
    (rules.object === undefined || rules.object(value as Record<string, unknown>))
  );
}
