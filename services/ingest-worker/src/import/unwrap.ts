import { isUtf8 } from 'node:buffer';
import type { Refusal } from '@sluice/intake/validate-payload.ts';
import { explainSyntax } from '@sluice/json/explain-syntax.ts';
import { memberText } from '@sluice/json/member-text.ts';
import { parseJson } from '@sluice/json/parse-json.ts';
import { isObject } from '@sluice/schemas/is-object.ts';
import { parseTimestamp } from '@sluice/shared/timestamp.ts';

/** `createdAt` in ms since the epoch. */
type Unwrapped = { ok: true; createdAt: number; payload: Buffer } | { ok: false; refusal: Refusal };

/** Reads an entry as NDJSON exports write it. Nothing is as yet known of its payload. `latest` in ms since the epoch. */
export function unwrap(line: Buffer, latest: number): Unwrapped {
  if (!isUtf8(line)) return malformed('the line is not valid UTF-8');
  const text = line.toString();
  const entry = parse(text);
  if (entry instanceof Error) return malformed(`the line is not JSON: ${explainSyntax(text, entry)}`);
  const payload = isObject(entry) ? memberText(text, 'payload') : undefined;
  if (!isObject(entry) || payload === undefined)
    return malformed('with entries=wrapped each line is {"createdAt":…,"payload":{…}}');
  const createdAt = typeof entry.createdAt === 'string' ? parseTimestamp(entry.createdAt) : Number.NaN;
  const fault = faultOf(createdAt, latest);
  return fault ? ofTime(fault) : { ok: true, createdAt, payload: Buffer.from(payload) };
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    return error as Error;
  }
}

/** A key has no place for times before 1970, and lists and exports take the newest time for now. */
function faultOf(createdAt: number, latest: number): string | undefined {
  if (Number.isNaN(createdAt)) return 'must be an ISO 8601 timestamp such as 2026-11-21T04:00:00.000Z';
  if (createdAt < 0) return 'must not be before 1970';
  return createdAt > latest ? 'must not be later than the import' : undefined;
}

const malformed = (message: string): Unwrapped => ({
  ok: false,
  refusal: { name: 'MalformedBodyError', message },
});

const ofTime = (message: string): Unwrapped => ({
  ok: false,
  refusal: {
    name: 'SchemaValidationError',
    message: `createdAt ${message}`,
    details: [{ path: '/createdAt', keyword: 'format', message }],
  },
});
