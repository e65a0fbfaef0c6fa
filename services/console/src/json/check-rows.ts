import { format, type Schema, Validator } from '@cfworker/json-schema';
import { textFormats } from '@sluice/schemas/formats/text-formats.ts';
import type { SampleRow } from '@sluice/tables/sample/read-sample.ts';

// The validator of the page must accept the same texts as the API. It leaves `hostname` to the API.
for (const name of Object.keys(format)) delete format[name];
Object.assign(format, textFormats);

export interface RowFault {
  /** Counted like the lines in the report of an import. */
  row: number;
  path: string;
  message: string;
  /** Nothing may be at this path. */
  isForbidden?: boolean;
}

export const mostFaults = 20;

/** Returns the check of a row, which lists its faults. Throws where the schema cannot be used. */
export function createCheckRow(schema: object): (row: SampleRow) => RowFault[] {
  // Ajv would generate code, which the policy of the page forbids.
  const validator = new Validator(schema as Schema, '2020-12', false);
  return ({ row, value }) =>
    validator
      .validate(value)
      // Only the innermost errors tell what is wrong.
      .errors.filter(({ keyword }) => !around.has(keyword))
      .map(({ instanceLocation, keyword, error }) => ({
        row,
        path: decodeURI(instanceLocation.slice(1)),
        message: error,
        isForbidden: keyword === 'false',
      }));
}

/** The first 20 faults of the rows. Throws where the schema cannot be used. */
export function checkRows(schema: object, rows: SampleRow[]): RowFault[] {
  const check = createCheckRow(schema);
  const faults: RowFault[] = [];
  for (const row of rows) {
    faults.push(...check(row));
    if (faults.length >= mostFaults) break;
  }
  return faults.slice(0, mostFaults);
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
