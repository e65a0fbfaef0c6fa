import { type Reading, readPayload } from '@sluice/bson/read-payload.ts';
import { fitsInDocument } from '@sluice/bson/write-entries.ts';
import { toJson } from '@sluice/json/numbers.ts';
import type { Explainer } from '@sluice/schemas/explain/explainer.ts';
import type { Issue } from '@sluice/schemas/explain/issue.ts';
import type { CompiledSchema } from '@sluice/schemas/judge/compiled-schema.ts';
import { isObject } from '@sluice/schemas/schema.ts';
import type { ErrorDetail } from '@sluice/shared/errors.ts';
import { type AcceptedLine, type Judged, type Refusal, type RefusedLine, refuse } from './line.ts';
import { tooLarge, tooLargeToStore } from './line-errors.ts';

type Payload = Record<string, unknown>;

export interface Judge extends Pick<CompiledSchema, 'judge' | 'judgeQuickly'> {
  /** Name of what has the schema, in messages. */
  domain: string;
  /** All that is wrong with a payload that does not conform. */
  explain(body: Uint8Array): Promise<Issue[]>;
  /** Hears of each payload that conforms. */
  accepted(body: Uint8Array): void;
}

/** `client` takes turns with others when refusals are explained. */
export const createJudge = (
  explainer: Explainer,
  { domain, client, schema }: { domain: string; client: string; schema: CompiledSchema },
): Judge => ({
  domain,
  judge: schema.judge,
  judgeQuickly: schema.judgeQuickly,
  explain: (body) => explainer.explain(client, schema, body),
  accepted: (body) => explainer.sample(schema, body),
});

type Find = (payload: Payload) => Pick<AcceptedLine, 'fields' | 'value'>;

/**
 * Reads a payload and judges it by a schema. It must be an object in any case. `find`: see `createRecordFields`.
 *
 * In drafts 04 to 07 a `$ref` at the root hides its `type`.
 */
export function validatePayload(judge: Judge, body: Buffer, find?: Find): Judged {
  const fate = fateOf(judge, judge.judge, body, find);
  return fate === 'too many steps' ? refuse(tooManySteps(judge), body) : fate;
}

/** The same in a few ms, unless that takes too many steps. */
export const validateQuickly = (judge: Judge, body: Buffer, find?: Find): Judged | 'too many steps' =>
  fateOf(judge, judge.judgeQuickly, body, find);

function fateOf(
  judge: Judge,
  verdictOf: Judge['judge'],
  body: Buffer,
  find: Find = () => ({ fields: [] }),
): Judged | 'too many steps' {
  const reading = readPayload(body);
  if (!reading.ok) return refuse(refuseReading(reading), body);
  const { payload, json, bson } = reading;
  const verdict = verdictOf(payload);
  if (verdict === 'too many steps') return verdict;
  if (verdict === 'does not conform') {
    const value = isObject(payload) ? find(payload).value : undefined;
    return { ...nonconforming(judge, json), payload: body, value };
  }
  if (!bson || !isObject(payload)) return refuse(refusalOf(judge, [notAnObject]), body);
  judge.accepted(json);
  if (!fitsInDocument(bson)) return refuse(tooLarge(tooLargeToStore), body);
  const { fields, value } = find(payload);
  return { kind: 'accepted', json, bson, fields, value };
}

/** Judges a payload that was stored before. Undefined if it conforms. */
export function judgePayload(
  judge: Judge,
  payload: unknown,
): (RefusedLine & { payload: Buffer }) | undefined {
  const verdict = judge.judge(payload);
  if (verdict === 'conforms') return undefined;
  const json = Buffer.from(toJson(payload));
  const refused = verdict === 'too many steps' ? refuse(tooManySteps(judge)) : nonconforming(judge, json);
  return { ...refused, payload: json };
}

/** A line that does not conform. The explainer finds all details, if they are asked for. */
export const nonconforming = (judge: Judge, json: Uint8Array): RefusedLine => ({
  kind: 'refused',
  refusal: refusalOf(judge),
  explain: async () => refusalOf(judge, await judge.explain(json)),
});

const notAnObject = { path: '', keyword: 'type', message: 'must be object' };

const tooManySteps = (judge: Judge): Refusal =>
  refusalOf(judge, [
    {
      path: '',
      keyword: 'budget',
      message:
        'validation against this schema takes too many steps; simplify the schema or send less at once',
    },
  ]);

const refusalOf = ({ domain }: Judge, details?: ErrorDetail[]): Refusal => ({
  name: 'SchemaValidationError',
  message: `the payload does not conform to the schema of ${domain}`,
  ...(details && { details }),
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
