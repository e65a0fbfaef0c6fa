import { toJson } from '@sluice/json/numbers.ts';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { OutOfSteps } from '../budget.ts';
import { limits } from '../limits.ts';
import { budget, type Runtime, runtime } from '../runtime.ts';

/** A fault of a payload. */
export interface Issue {
  /** JSON Pointer into the payload; '' is the payload itself. */
  path: string;
  keyword: string;
  /** The member that the message names, which is missing or must not be there. */
  property?: string;
  message: string;
}

export interface Run {
  /** Null if the payload conforms. Too many steps are an issue too. */
  run(payload: unknown): Issue[] | null;
  /** Throws OutOfSteps after limits.quickSteps. */
  quickly(payload: unknown): Issue[] | null;
}

export const tooManySteps: Issue = {
  path: '',
  keyword: 'budget',
  message: 'validation against this schema takes too many steps; simplify the schema or send less at once',
};

export const isTooMany = (issues: Issue[]) => issues[0]?.keyword === tooManySteps.keyword;

/** Makes generated code callable. The code sees its runtime and the language, not this module. */
export function createRun(code: string): Run {
  const main = new Function('$', code) as (runtime: Runtime) => ValidateFunction;
  const check = main(runtime);
  return {
    run(payload) {
      // Most payloads need fewer than the base steps, so only the others are measured.
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
      // Any result but `true`, such as a promise, is a refusal.
      if ((check(payload) as unknown) === true) return null;
      return (check.errors ?? []).slice(0, limits.maxDetails).map(toIssue);
    } catch (error) {
      // A schema that refers to itself at the same value overflows the stack.
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
    // The payload is nested too deeply to be printed, so it gets only the base steps.
    return 0;
  }
}

function toIssue(error: ErrorObject): Issue {
  const property = memberOf(error);
  return {
    path: cut(error.instancePath, limits.shownPath),
    keyword: error.keyword,
    ...(property !== undefined && { property: cut(property, limits.shownPath) }),
    message: describe(error),
  };
}

function memberOf({ params, propertyName }: ErrorObject): string | undefined {
  const { missingProperty, additionalProperty, unevaluatedProperty, propertyName: refused } = params;
  return missingProperty ?? additionalProperty ?? unevaluatedProperty ?? refused ?? propertyName;
}

function describe({ keyword, params, message = 'is not valid', propertyName }: ErrorObject): string {
  const { missingProperty, property, additionalProperty, unevaluatedProperty, allowedValues, allowedValue } =
    params;
  switch (keyword) {
    case 'required':
      return `must have the property ${name(missingProperty)}`;
    case 'dependentRequired':
    case 'dependencies':
      return `must have the property ${name(missingProperty)}, as it has ${name(property)}`;
    case 'additionalProperties':
      return `must not have the property ${name(additionalProperty)}`;
    case 'unevaluatedProperties':
      return `must not have the property ${name(unevaluatedProperty)}`;
    case 'propertyNames':
      return `must not have a property named ${name(params.propertyName)}`;
    case 'enum':
      return listed('must be one of', allowedValues) ?? message;
    case 'const':
      return listed('must be', [allowedValue]) ?? message;
    case 'false schema':
      return 'must not be present';
    default:
      return cut(
        propertyName === undefined ? message : `property name ${name(propertyName)} ${message}`,
        limits.shownText,
      );
  }
}

function name(property: unknown): string {
  return `'${cut(String(property), limits.shownName)}'`;
}

function listed(lead: string, values: unknown[]): string | undefined {
  let text = lead;
  for (const [i, value] of values.entries()) {
    text += `${i ? ',' : ''} ${toJson(value)}`;
    if (text.length > limits.shownText) return undefined;
  }
  return text;
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
