import { type LineRefusal, nonconforming, validatePayload } from '@sluice/intake/validate-payload.ts';
import { toJson } from '@sluice/json/numbers.ts';
import type { Validator } from '@sluice/schemas/validate/validator.ts';
import { idOf, timeOf } from '@sluice/store/entries/raw-document.ts';
import { readPayloadOf } from '@sluice/store/entries/read-document.ts';
import type { RefusedRecord } from '@sluice/store/refused/refused-records.ts';

/** As messages name what proposes the schema. */
const domain = 'the rehearsal';

/** What does not conform. */
export interface Nonconforming {
  explain(): Promise<LineRefusal>;
  json: Buffer;
  /** What the file tells of it besides. */
  head: object;
}

/** Undefined where the entry in a document conforms. */
export function checkEntry(validator: Validator, document: Buffer): Nonconforming | undefined {
  const payload = readPayloadOf(document);
  const first = validator.validate(payload);
  if (!first) return undefined;
  return {
    explain: async () => nonconforming(domain, await validator.explain(payload, first)),
    json: Buffer.from(toJson(payload)),
    head: { id: idOf(document), createdAt: new Date(timeOf(document)).toISOString() },
  };
}

/** Undefined where a refused upload conforms. */
export function checkRefused(
  validator: Validator,
  { id, at, payload }: RefusedRecord,
): Nonconforming | undefined {
  const json = Buffer.from(payload);
  const checked = validatePayload({ domain, validator }, json);
  if (checked.ok) return undefined;
  return { explain: checked.explain, json, head: { id, createdAt: at.toISOString(), refused: true } };
}
