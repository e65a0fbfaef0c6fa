import { withoutByteOrderMark } from '@sluice/json/byte-order-mark.ts';
import { OutOfSteps } from '@sluice/schemas/budget.ts';
import { byLimit, unavailable } from '@sluice/shared/errors.ts';
import type { Logger } from '@sluice/shared/logger.ts';
import { type Admission, createThread, ThreadBusy, unlimited } from '@sluice/threads/thread.ts';
import type { Intake, RecordFields } from './intake.ts';
import { type Judged, type Refusal, refuse } from './line.ts';
import { tooLarge } from './line-errors.ts';
import { validatePayload } from './validate-payload.ts';
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

function hasAtMost(most: number, characters: string, body: Buffer): boolean {
  let left = most;
  for (const character of Buffer.from(characters))
    for (let at = body.indexOf(character); at >= 0; at = body.indexOf(character, at + 1))
      if (left-- === 0) return false;
  return true;
}

/** Far more than the budget of a validation takes. */
const deadlineMs = 10_000;

const tooMuch = (what: 'long' | 'much memory'): ValidateAnswer => ({
  kind: 'refused',
  refusal: tooLarge(`to read and validate the payload takes too ${what}; send less at once`),
  hasMore: false,
});

/**
 * Validates quick uploads here and slow ones in a thread, so that uploads of other owners do not wait.
 * `capacity` limits the bytes that wait.
 */
export function createUploadValidator(
  recordFields: Pick<RecordFields, 'find' | 'notOnRecord'>,
  log: Pick<Logger, 'error'>,
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

  function validateHere(application: Intake, body: Buffer): Judged {
    const { domain, validator } = application;
    const fate = validatePayload({ domain, validator: validator.quick }, body, (payload) =>
      recordFields.find(application, payload),
    );
    if (fate.kind === 'accepted') return fate;
    const { refusal, explain } = fate;
    const explained = () => explain().catch(ifOutOfSteps(() => explainAside(application, body, refusal)));
    return { ...fate, explain: explained };
  }

  async function ask(
    application: Intake,
    body: Buffer,
    code: () => Promise<string>,
    kind: 'first' | 'exhaustive',
  ) {
    const { id, version, domain, owner, rawSchema } = application;
    const schema = `${id} ${version} ${kind}`;
    const work = (learn?: ValidateRequest['learn']) => {
      // Sending a view would send the whole buffer behind it.
      const copy = new Uint8Array(body);
      const request = { schema, domain, body: copy, ...(learn && { learn }) };
      return thread.ask(owner, request, { transfer: [copy.buffer] });
    };
    const send = (learn?: ValidateRequest['learn']) =>
      capacity.run(owner, () => work(learn), Math.max(body.length, quickBytes));
    try {
      const answer = await send();
      if (answer.kind !== 'unknown') return answer;
      const taught = await send({ code: await code(), rawSchema });
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
    const { validator } = application;
    const answer = await ask(application, body, validator.code, 'first');
    if (answer.kind === 'failed') throw new Error(`the validation failed: ${answer.reason}`);
    if (answer.kind === 'refused') {
      const { refusal, hasMore } = answer;
      const refused = refuse(refusal, body);
      return hasMore ? { ...refused, explain: () => explainAside(application, body, refusal) } : refused;
    }
    const fields = recordFields.notOnRecord(application, answer.fields);
    return { kind: 'accepted', json: withoutByteOrderMark(body), bson: Buffer.from(answer.bson), fields };
  }

  /** All faults, or the first fault if no more can be found. */
  async function explainAside(application: Intake, body: Buffer, first: Refusal): Promise<Refusal> {
    const { id, validator } = application;
    const code = await validator.exhaustiveCode();
    if (code === undefined) return first;
    const answer = await ask(application, body, async () => code, 'exhaustive');
    if (answer.kind === 'failed')
      log.error({ event: 'validator.defect', application: id, reason: answer.reason });
    return answer.kind === 'refused' && answer.hasMore ? answer.refusal : first;
  }

  return {
    validate(application, body) {
      if (!isQuick(body)) return validateAside(application, body);
      try {
        return validateHere(application, body);
      } catch (error) {
        return ifOutOfSteps(() => validateAside(application, body))(error);
      }
    },
    close: thread.close,
  };
}

const ifOutOfSteps =
  <T>(otherwise: () => T) =>
  (error: unknown): T => {
    if (error instanceof OutOfSteps) return otherwise();
    throw error;
  };
