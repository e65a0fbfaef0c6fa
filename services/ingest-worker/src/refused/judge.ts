import type { Intake } from '@sluice/intake/intake.ts';
import { amendRefused } from '@sluice/intake/refused/amend.ts';
import type { Amendments } from '@sluice/intake/refused/amendments.ts';
import { reasonOf, sizeOf } from '@sluice/intake/refused/refused-upload.ts';
import { type LineRefusal, validatePayload } from '@sluice/intake/validate-payload.ts';
import type { NewReason } from '@sluice/jobs/record/replays.ts';
import { type NewEntry, sentHash } from '@sluice/store/entries/entries.ts';
import type { RefusedRecord } from '@sluice/store/refused/refused-records.ts';

/** What becomes of a refused upload: an entry, refused for another reason, or as it was. */
export type Judged =
  | { kind: 'conforming'; entry: NewEntry; payload: Record<string, unknown> }
  | { kind: 'refused'; reason: NewReason }
  | { kind: 'unchanged' };

/** Changes a refused upload and validates it again. */
export async function judge(upload: RefusedRecord, intake: Intake, amendments: Amendments): Promise<Judged> {
  const amended = amendRefused(upload, amendments);
  if (!amended.ok) return { kind: 'unchanged' };
  const json = Buffer.from(amended.json);
  const validated = validatePayload(intake, json);
  const { version } = intake;
  if (validated.ok) {
    const { application, idempotencyHash, at } = upload;
    const sent =
      idempotencyHash && json.toString() !== upload.payload
        ? sentHash(Buffer.from(upload.payload))
        : undefined;
    const entry = { application, json, idempotencyHash, sent, version, receivedAt: at };
    return { kind: 'conforming', entry, payload: validated.payload };
  }
  const reason = newReason(upload, version, await validated.explain());
  return reason ? { kind: 'refused', reason } : { kind: 'unchanged' };
}

type Refusal = Pick<RefusedRecord, 'name' | 'message'> & Pick<LineRefusal, 'details'>;

const keyIsTaken: Refusal = {
  name: 'ResourceConflictError',
  message: 'another payload is stored with the Idempotency-Key of this upload',
  details: [{ path: '', keyword: 'idempotencyKey', message: 'was used for another payload' }],
};

/** Why an upload is refused whose key was used for another payload. */
export const takenReason = (upload: RefusedRecord, version: number): NewReason =>
  newReason(upload, version, keyIsTaken) as NewReason;

function newReason(upload: RefusedRecord, version: number, refusal: Refusal): NewReason | undefined {
  const told = reasonOf(refusal);
  if (!told) return undefined;
  const { name, message, details } = refusal;
  const { path, keyword } = told;
  return { id: upload.id, version, name, message, ...sizeOf(upload.payload, details), path, keyword };
}
