import type { Intake } from '@sluice/intake/intake.ts';
import { amendRefused } from '@sluice/intake/refusals/amend.ts';
import type { Amendments } from '@sluice/intake/refusals/amendments.ts';
import { reasonOf, sizeOf } from '@sluice/intake/refusals/refused-upload.ts';
import { validatePayload } from '@sluice/intake/validate-payload.ts';
import type { NewEntry } from '@sluice/store/entries/entries.ts';
import type { RefusedRecord } from '@sluice/store/refused/refused-records.ts';
import type { NewReason } from '@sluice/store/refused/replays.ts';

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
    const entry = { application: upload.application, json, version, receivedAt: upload.at };
    return { kind: 'conforming', entry, payload: validated.payload };
  }
  const refusal = await validated.explain();
  const told = reasonOf(refusal);
  if (!told) return { kind: 'unchanged' };
  const { name, message } = refusal;
  const kept = sizeOf(upload.payload, refusal.details);
  const { path, keyword } = told;
  return { kind: 'refused', reason: { id: upload.id, version, name, message, ...kept, path, keyword } };
}
