import { type Reading, readPayload } from '@sluice/bson/read-payload.ts';
import { fitsInDocument } from '@sluice/bson/write-entries.ts';
import { isObject } from '@sluice/schemas/schema.ts';
import type { Validator } from '@sluice/schemas/validate/validator.ts';
import type { ErrorDetail } from '@sluice/shared/errors.ts';
import { type Judged, type Refusal, type RefusedLine, refuse } from './line.ts';
import { tooLarge, tooLargeToStore } from './line-errors.ts';

type Payload = Record<string, unknown>;

interface Judge {
  domain: string;
  validator: Pick<Validator, 'validate' | 'explain'>;
}

/**
 * Reads a payload and judges it by the application's schema. It must be an object in any case. `fieldsOf` finds its fields that are not recorded yet.
 *
 * In drafts 04 to 07 a `$ref` at the root hides its `type`.
 */
export function validatePayload(
  judge: Judge,
  body: Buffer,
  fieldsOf: (payload: Payload) => string[] = () => [],
): Judged {
  const reading = readPayload(body);
  if (!reading.ok) return refuse(refuseReading(reading), body);
  const { payload, json, bson } = reading;
  const refused = judgePayload(judge, payload);
  if (refused) return { ...refused, payload: body };
  if (!bson || !isObject(payload)) return refuse(nonconforming(judge.domain, [notAnObject]), body);
  if (!fitsInDocument(bson)) return refuse(tooLarge(tooLargeToStore), body);
  return { kind: 'accepted', json, bson, fields: fieldsOf(payload) };
}

/** The only place where a schema judges a payload, and where details are asked for. Undefined if it conforms. */
export function judgePayload({ domain, validator }: Judge, payload: unknown): RefusedLine | undefined {
  const issues = validator.validate(payload);
  if (!issues) return undefined;
  const explain = async () => nonconforming(domain, await validator.explain(payload, issues));
  return { kind: 'refused', refusal: nonconforming(domain, issues), explain };
}

const notAnObject = { path: '', keyword: 'type', message: 'must be object' };

const nonconforming = (domain: string, details: ErrorDetail[]): Refusal => ({
  name: 'SchemaValidationError',
  message: `the payload does not conform to the schema of ${domain}`,
  details,
});

function refuseReading(reading: Exclude<Reading, { ok: true }>): Refusal {
  if (reading.kind === 'inexact')
    return {
      name: 'SchemaValidationError',
      message: 'the payload cannot be stored exactly as it is',
      details: reading.issues,
    };
  const { kind, message, ofLine } = reading;
  const details = [{ path: '', keyword: 'forbiddenKey', message }];
  return { name: 'MalformedBodyError', message, ofLine, ...(kind === 'forbidden' && { details }) };
}
