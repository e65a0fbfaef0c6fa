import { toJson } from '@sluice/json/numbers.ts';
import type { ErrorObject } from 'ajv';
import { limits } from '../limits.ts';
import type { Issue } from './issue.ts';

/** What people read of an error of Ajv. Payloads are not echoed. */
export function toIssue(error: ErrorObject): Issue {
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
