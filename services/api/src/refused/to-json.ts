import type { ReasonCount } from '@sluice/store/refused/refusal-counts.ts';
import { isText, type RefusedRecord } from '@sluice/store/refused/refused-records.ts';
import type { RefusedAnswer, RefusedGroupAnswer } from './contract.ts';

/** Characters; a longer example is cut off. */
const exampleLength = 4 * 1024;

/** Adds a payload, which is JSON text, and so keeps its digits. */
function withPayload(fields: object, name: string, payload: string): string {
  return `${JSON.stringify(fields).slice(0, -1)},"${name}":${payload}}`;
}

/** A refused upload as its owner sees it, as JSON. */
export function toJson({ at, version, name, message, details, ...refused }: RefusedRecord): string {
  const { id, source, line, reason = 'schema', key, network, payload, truncated } = refused;
  const fields: Omit<RefusedAnswer, 'payload'> = {
    id,
    received_at: at.toISOString(),
    source,
    ...(line !== undefined && { line }),
    reason,
    schema_version: version,
    error: { name, message, details },
    ...(key && { key }),
    ...(network && { network }),
    truncated,
  };
  return withPayload(fields, 'payload', isText(refused) ? JSON.stringify(payload) : payload);
}

/** A group of refused uploads, as JSON. */
export function toGroupJson(
  { reason, path, keyword, property, message, count, firstAt, lastAt }: ReasonCount,
  state: Pick<RefusedGroupAnswer, 'kept' | 'dismissed' | 'last_day'>,
  example: RefusedRecord | undefined,
): string {
  const fields: Omit<RefusedGroupAnswer, 'example'> = {
    reason: reason ?? 'schema',
    path,
    keyword,
    ...(property !== undefined && { property }),
    message,
    count,
    ...state,
    first_at: firstAt.toISOString(),
    last_at: lastAt.toISOString(),
  };
  if (!example) return JSON.stringify(fields);
  const { payload } = example;
  const isWhole = !isText(example) && payload.length <= exampleLength;
  const shown = isWhole ? payload : JSON.stringify(payload.slice(0, exampleLength).toWellFormed());
  return withPayload(fields, 'example', shown);
}
