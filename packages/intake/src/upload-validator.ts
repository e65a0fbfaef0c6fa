import { withoutByteOrderMark } from '@sluice/json/byte-order-mark.ts';
import { hasAtMost } from '@sluice/json/has-at-most.ts';
import { byLimit, unavailable } from '@sluice/shared/errors.ts';
import { type Admission, createThread, ThreadBusy, unlimited } from '@sluice/threads/thread.ts';
import type { Intake, RecordFields } from './intake.ts';
import { type Judged, refuse } from './line.ts';
import { tooLarge } from './line-errors.ts';
import { nonconforming, validateQuickly } from './validate-payload.ts';
import type { ValidateAnswer, ValidateRequest } from './validate-thread.ts';

export interface UploadValidator {
  /** Reads and validates a payload, at once if that takes only a few ms. Rejects with ApiError if too many wait. */
  validate(application: Intake, body: Buffer): Judged | Promise<Judged>;
  close(): Promise<void>;
}

/** Reading such a body takes 3 ms at most. A body of 1 MB with 90,000 keys takes 120 ms. */
const quickBytes = 16 * 1024;
/** The same holds for this length with few names, values and escapes. */
const quickTextBytes = 128 * 1024;
const quickNames = 1_500;
const quickValues = 6_000;

function isQuick(body: Buffer): boolean {
  if (body.length <= quickBytes) return true;
  return (
    body.length <= quickTextBytes && hasAtMost(quickNames, ':', body) && hasAtMost(quickValues, ',{[\\', body)
  );
}

/** Far more than the budget of a validation takes. */
const deadlineMs = 10_000;

const tooMuch = (what: 'long' | 'much memory'): ValidateAnswer => ({
  kind: 'refused',
  refusal: tooLarge(`to read and validate the payload takes too ${what}; send less at once`),
});

/**
 * Validates quick uploads here and slow ones in a thread, so that uploads of other owners do not wait.
 * `capacity` limits the bytes that wait.
 */
export function createUploadValidator(
  recordFields: Pick<RecordFields, 'find' | 'notOnRecord'>,
  { capacity = unlimited, waitMs = Number.POSITIVE_INFINITY }: { capacity?: Admission; waitMs?: number } = {},
): UploadValidator {
  const thread = createThread<ValidateRequest, ValidateAnswer>({
    name: 'the validator of uploads',
    file: new URL('./validate-thread.ts', import.meta.url),
    heapMb: 512,
    waitingMs: waitMs,
    deadlineMs,
    tooLong: tooMuch('long'),
    tooLarge: tooMuch('much memory'),
  });

  async function ask({ id, version, domain, owner, rawSchema, schema, unique }: Intake, body: Buffer) {
    const send = (learn?: ValidateRequest['learn']) => {
      // Sending a view would send the whole buffer behind it.
      const copy = new Uint8Array(body);
      const application = { id, unique };
      const named = { schema: `${id} ${version}`, domain, application };
      const request = { ...named, body: copy, ...(learn && { learn }) };
      const work = () => thread.ask(owner, request, { transfer: [copy.buffer] });
      return capacity.run(owner, work, Math.max(body.length, quickBytes));
    };
    try {
      const answer = await send();
      if (answer.kind !== 'unknown') return answer;
      const { linked, draft, hash, instructions } = schema;
      const taught = await send({ outline: { linked, draft, hash, instructions }, rawSchema });
      if (taught.kind === 'unknown') throw new Error('the validator forgot the schema that it was told');
      return taught;
    } catch (error) {
      if (error instanceof ThreadBusy)
        throw byLimit(
          'capacity_largeUploads',
          unavailable('too many large uploads are waiting; nothing was stored', 1),
        );
      throw error;
    }
  }

  async function validateAside(application: Intake, body: Buffer): Promise<Judged> {
    const answer = await ask(application, body);
    if (answer.kind === 'failed') throw new Error(`the validation failed: ${answer.reason}`);
    if (answer.kind === 'refused') return refuse(answer.refusal, body);
    const json = withoutByteOrderMark(body);
    if (answer.kind === 'nonconforming') return { ...nonconforming(application.judge, json), payload: body };
    application.judge.accepted(json);
    const fields = recordFields.notOnRecord(application, answer.fields);
    const value = answer.value && Buffer.from(answer.value);
    return { kind: 'accepted', json, bson: Buffer.from(answer.bson), fields, value };
  }

  return {
    validate(application, body) {
      if (!isQuick(body)) return validateAside(application, body);
      const fate = validateQuickly(application.judge, body, (payload) =>
        recordFields.find(application, payload),
      );
      return fate === 'too many steps' ? validateAside(application, body) : fate;
    },
    close: thread.close,
  };
}
