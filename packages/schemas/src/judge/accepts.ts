import { spend } from '../budget.ts';
import { types } from '../types.ts';
import type { Seen } from './seen.ts';

/** Adds what it evaluates to `seen`, if that is asked for. Throws OutOfSteps. */
export type Check<Value> = (value: Value, seen: Seen | undefined) => boolean;

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

const stepsAValue = 8;

/** Whether a value conforms. All schemas share this code, so it is always hot. Throws OutOfSteps. */
export function accepts(rules: Rules, value: unknown, seen: Seen | undefined): boolean {
  spend(stepsAValue);
  return conformsByType(rules, value, seen) && (rules.any === undefined || rules.any(value, seen));
}

function conformsByType(rules: Rules, value: unknown, seen: Seen | undefined): boolean {
  const { types: allowed } = rules;
  switch (typeof value) {
    case 'string':
      return (allowed & types.string) !== 0 && (rules.text === undefined || rules.text(value, seen));
    case 'number': {
      const type = Number.isInteger(value) ? types.integer : types.fraction;
      return (allowed & type) !== 0 && (rules.number === undefined || rules.number(value, seen));
    }
    case 'bigint':
      return (allowed & types.integer) !== 0 && (rules.number === undefined || rules.number(value, seen));
    case 'boolean':
      return (allowed & types.boolean) !== 0;
    default:
  }
  if (value === null) return (allowed & types.null) !== 0;
  if (Array.isArray(value))
    return (allowed & types.array) !== 0 && (rules.array === undefined || rules.array(value, seen));
  return (
    (allowed & types.object) !== 0 &&
    (rules.object === undefined || rules.object(value as Record<string, unknown>, seen))
  );
}
