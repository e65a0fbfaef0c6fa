import { withoutByteOrderMark } from '@sluice/json/byte-order-mark.ts';
import type { ErrorDetail, ErrorName } from '@sluice/shared/errors.ts';
import type { LossKind } from '@sluice/store/refused/losses.ts';
import type { Reason, RefusedRecord, RefusedSource } from '@sluice/store/refused/refused-records.ts';
import type { Refusal } from '../line.ts';

/** Longer payloads are cut. */
const keptPayloadBytes = 64 * 1024;
/** Longest payload of a lost upload. */
export const keptLossBytes = 1024;
/** About the size of all details of an upload. */
const keptDetailBytes = 16 * 1024;
/** Longest path, and longest property, in the name of a group. */
const reasonLength = 250;

export type ToldReason = Reason & { message: string };

export interface RefusedUpload {
  source: RefusedSource;
  line?: number;
  refusal: Refusal;
  /** Another payload is stored with its unique value. */
  reason?: 'duplicate' | undefined;
  payload: Buffer;
  /** Whether `payload` is cut off. */
  isPart?: boolean;
  /** The hash of the idempotency key; see `NewEntry`. */
  idempotencyHash?: Buffer | undefined;
  batch?: RefusedRecord['batch'];
  /** Finds the sender; called only for uploads that are kept. */
  sender?: (() => Pick<RefusedRecord, 'key' | 'user' | 'network'>) | undefined;
  /** Id of the ingest key with which it came. */
  key?: string | undefined;
}

/** The groups of losses of which payloads are kept. */
const keptLosses = {
  not_json: { path: '', keyword: 'not_json', reason: 'not_json', message: 'is not JSON' },
  too_large: { path: '', keyword: 'too_large', reason: 'too_large', message: 'is too large' },
} as const satisfies Partial<Record<LossKind, ToldReason>>;

export type KeptLoss = keyof typeof keptLosses;

/** The group of a loss; undefined for losses without a kept payload. */
export const groupOfLoss = (kind: LossKind): ToldReason | undefined =>
  (keptLosses as Partial<Record<LossKind, ToldReason>>)[kind];

const duplicate = { path: '', keyword: 'duplicate', message: 'another payload is stored with this value' };

/** What an upload is counted by; undefined if its content was not the reason. */
export function groupOf({
  refusal,
  reason,
}: Pick<RefusedUpload, 'refusal' | 'reason'>): ToldReason | undefined {
  const told = reasonOf(refusal);
  return reason ? { ...(told ?? duplicate), reason } : told;
}

/** The first fault; undefined if the payload is not JSON, or its content was not the reason. */
export function reasonOf({ details }: Pick<Refusal, 'details'>): ToldReason | undefined {
  const first = details?.[0];
  if (!first) return undefined;
  const { path, keyword, property, message } = first;
  // An empty name stands for none where a group is chosen.
  return { path: shown(path), keyword, ...(property && { property: shown(property) }), message };
}

/** The kind of loss that a refusal is, if its payload is the reason. */
export function lossOf({ name, details }: { name: ErrorName; details?: unknown }): KeptLoss | undefined {
  if (details) return undefined;
  if (name === 'MalformedBodyError') return 'not_json';
  return name === 'PayloadTooLargeError' ? 'too_large' : undefined;
}

const shown = (text: string): string =>
  text.length > reasonLength ? `${text.slice(0, reasonLength)}…`.toWellFormed() : text;

/** The same for all uploads of a group. */
export const nameOf = ({ path, keyword, property, reason }: Reason): string =>
  JSON.stringify([path, keyword, property, reason]);

export function toKept(
  { source, line, refusal, payload, isPart = false, idempotencyHash, batch, sender }: RefusedUpload,
  mostBytes = keptPayloadBytes,
): Omit<RefusedRecord, 'id' | 'application' | 'at' | 'version' | keyof Reason> {
  const { name, message } = refusal;
  const json = withoutByteOrderMark(payload);
  const truncated = isPart || json.length > mostBytes;
  const text = json.toString('utf8', 0, mostBytes);
  return {
    source,
    ...(line !== undefined && { line }),
    name,
    message,
    // The cut may be within a character.
    payload: truncated ? text.replace(/\uFFFD{1,3}$/, '') : text,
    truncated,
    ...sizeOf(text, refusal.details),
    ...(idempotencyHash && { idempotencyHash }),
    ...(batch && { batch }),
    ...sender?.(),
  };
}

/** The details that are kept, and the size of payload and details. */
export function sizeOf(
  payload: string,
  details: ErrorDetail[] = [],
): Pick<RefusedRecord, 'details' | 'size'> {
  const kept = shorten(details);
  return { details: kept.details, size: Buffer.byteLength(payload) + kept.bytes };
}

/** Keeps at least the first detail. */
function shorten(details: ErrorDetail[]): { details: ErrorDetail[]; bytes: number } {
  const kept: ErrorDetail[] = [];
  let bytes = 0;
  for (const detail of details) {
    const { path, keyword, property = '', message } = detail;
    const { length } = path + keyword + property + message;
    if (kept.length > 0 && bytes + length > keptDetailBytes) break;
    bytes += length;
    kept.push(detail);
  }
  return { details: kept, bytes };
}
