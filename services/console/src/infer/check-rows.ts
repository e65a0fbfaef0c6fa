import { type Schema, Validator } from '@cfworker/json-schema';
import type { SampleRow } from '../sample/read-sample.ts';
import './formats.ts';

export interface Fault {
  /** As the report of an import counts it. */
  row: number;
  /** JSON Pointer. */
  path: string;
  message: string;
}

export const mostFaults = 20;

/**
 * What of the rows does not conform, 20 faults at most, or why the schema cannot be used. Ajv would make code, which the policy of the
 * page forbids; what counts in the end is what the API says.
 */
export function checkRows(schema: object, rows: SampleRow[]): Fault[] {
  const validator = new Validator(schema as Schema, '2020-12', false);
  const faults: Fault[] = [];
  for (const { row, value } of rows) {
    // The innermost say what is wrong; those around them only that something is.
    const errors = validator.validate(value).errors.filter(({ keyword }) => !around.has(keyword));
    for (const { instanceLocation, error } of errors) {
      if (faults.length === mostFaults) return faults;
      faults.push({ row, path: decodeURI(instanceLocation.slice(1)), message: error });
    }
  }
  return faults;
}

const around = new Set([
  'properties',
  'items',
  'prefixItems',
  'additionalProperties',
  'patternProperties',
  '$ref',
  'allOf',
]);
