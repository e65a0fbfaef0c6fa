import { type Reading, readPayload } from '@sluice/bson/read-payload.ts';
import { isObject } from '@sluice/schemas/schema.ts';
import type { Validator } from '@sluice/schemas/validate/validator.ts';
import type { BusyName, ErrorDetail } from '@sluice/shared/errors.ts';

export interface Refusal {
  name: 'MalformedBodyError' | 'SchemaValidationError';
  message: string;
  /** Absent if the payload is not JSON. */
  details?: ErrorDetail[];
}

type Payload = Record<string, unknown>;

/** A line of a batch has more reasons for a refusal. */
export interface LineRefusal extends Omit<Refusal, 'name'> {
  name: Refusal['name'] | 'PayloadTooLargeError' | BusyName | 'InternalServerError';
}

export type PayloadCheck =
  | { ok: true; payload: Payload; json: Buffer; bson: Buffer }
  /** `explain` finds all faults, not only the first. */
  | { ok: false; refusal: Refusal; explain(): Promise<Refusal> };

export const nonconforming = (domain: string, details: ErrorDetail[]) => ({
  name: 'SchemaValidationError' as const,
  message: `the payload does not conform to the schema of ${domain}`,
  details,
});

/**
 * Reads a payload and validates it against the application's schema. It must be an object in any case.
 *
 * In drafts 04 to 07 a `$ref` at the root hides its `type`.
 */
export function validatePayload(
  { domain, validator }: { domain: string; validator: Pick<Validator, 'validate' | 'explain'> },
  body: Buffer,
): PayloadCheck {
  const reading = readPayload(body);
  if (!reading.ok) {
    const refusal = refuseReading(reading);
    return { ok: false, refusal, explain: async () => refusal };
  }
  const { payload, json, bson } = reading;
  const issues = validator.validate(payload);
  if (!issues && bson && isObject(payload)) return { ok: true, payload, json, bson };
  const refuse = (details: ErrorDetail[]): Refusal => nonconforming(domain, details);
  if (!issues) {
    const refusal = refuse([{ path: '', keyword: 'type', message: 'must be object' }]);
    return { ok: false, refusal, explain: async () => refusal };
  }
  return {
    ok: false,
    refusal: refuse(issues),
    explain: async () => refuse(await validator.explain(payload, issues)),
  };
}

function refuseReading(reading: Exclude<Reading, { ok: true }>): Refusal {
  if (reading.kind === 'inexact')
    return {
      name: 'SchemaValidationError',
      message: 'the payload cannot be stored exactly as it is',
      details: reading.issues,
    };
  const { kind, message } = reading;
  const details = [{ path: '', keyword: 'forbiddenKey', message }];
  return { name: 'MalformedBodyError', message, ...(kind === 'forbidden' && { details }) };
}
