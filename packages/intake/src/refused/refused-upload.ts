import { withoutByteOrderMark } from '@sluice/json/read-payload.ts';
import type { ErrorDetail } from '@sluice/shared/errors.ts';
import type { Reason, RefusedRecord, RefusedSource } from '@sluice/store/refused/refused-records.ts';
import type { LineRefusal } from '../validate-payload.ts';

/** Of a payload that is kept; more of it is cut off. */
const keptPayloadBytes = 64 * 1024;
/** Of all details together, about. */
const keptDetailBytes = 16 * 1024;
/** Of a path that names a group. */
const reasonLength = 250;

export type ToldReason = Reason & { message: string };

export interface RefusedUpload {
  source: RefusedSource;
  line?: number;
  /** As it is answered. */
  refusal: LineRefusal;
  payload: Buffer;
  /** Of its idempotency key; see `NewEntry`. */
  idempotencyHash?: Buffer | undefined;
  batch?: RefusedRecord['batch'];
  /** Who sent it; asked only for what is kept. */
  sender?: (() => Pick<RefusedRecord, 'key' | 'network'>) | undefined;
}

/** What was wrong first; undefined where the payload is no JSON, or was not refused for what is in it. */
export function reasonOf({ details }: Pick<LineRefusal, 'details'>): ToldReason | undefined {
  const first = details?.[0];
  if (!first) return undefined;
  const { path, keyword, message } = first;
  return {
    keyword,
    message,
    path: path.length > reasonLength ? `${path.slice(0, reasonLength)}…`.toWellFormed() : path,
  };
}

/** What is kept of it. */
export function toKept({
  source,
  line,
  refusal,
  payload,
  idempotencyHash,
  batch,
  sender,
}: RefusedUpload): Omit<RefusedRecord, 'id' | 'application' | 'at' | 'version' | keyof Reason> {
  const { name, message } = refusal;
  const json = withoutByteOrderMark(payload);
  const truncated = json.length > keptPayloadBytes;
  const text = json.toString('utf8', 0, keptPayloadBytes);
  return {
    source,
    ...(line !== undefined && { line }),
    name,
    message,
    // A character may be cut in two.
    payload: truncated ? text.replace(/\uFFFD{1,3}$/, '') : text,
    truncated,
    ...sizeOf(text, refusal.details),
    ...(idempotencyHash && { idempotencyHash }),
    ...(batch && { batch }),
    ...sender?.(),
  };
}

/** What is kept of the details, and the size of both. */
export function sizeOf(
  payload: string,
  details: ErrorDetail[] = [],
): Pick<RefusedRecord, 'details' | 'size'> {
  const kept = shorten(details);
  return { details: kept.details, size: Buffer.byteLength(payload) + kept.bytes };
}

/** The first of them always. */
function shorten(details: ErrorDetail[]): { details: ErrorDetail[]; bytes: number } {
  const kept: ErrorDetail[] = [];
  let bytes = 0;
  for (const detail of details) {
    const { length } = detail.path + detail.keyword + detail.message;
    if (kept.length > 0 && bytes + length > keptDetailBytes) break;
    bytes += length;
    kept.push(detail);
  }
  return { details: kept, bytes };
}
