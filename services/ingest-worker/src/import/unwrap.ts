import { isUtf8 } from 'node:buffer';
import type { Refusal } from '@sluice/intake/validate-payload.ts';
import { explainSyntax } from '@sluice/json/explain-syntax.ts';
import { repeatedKey } from '@sluice/json/find-issues.ts';
import { membersOf } from '@sluice/json/member-text.ts';
import { parseJson } from '@sluice/json/parse-json.ts';
import { isObject } from '@sluice/schemas/schema.ts';
import type { ErrorDetail } from '@sluice/shared/errors.ts';
import { parseTimestamp } from '@sluice/shared/timestamp.ts';

/** `createdAt` in ms since the epoch. */
type Unwrapped = { ok: true; createdAt: number; payload: Buffer } | { ok: false; refusal: Refusal };

const form = 'with entries=wrapped each line is {"createdAt":…,"payload":{…}}';

/** Reads an entry as NDJSON exports write it. Nothing is as yet known of its payload. `latest` in ms since the epoch. */
export function unwrap(line: Buffer, latest: number): Unwrapped {
  if (!isUtf8(line)) return malformed('the line is not valid UTF-8');
  const text = line.toString();
  const entry = parse(text);
  if (entry instanceof Error) return malformed(`the line is not JSON: ${explainSyntax(text, entry)}`);
  if (!isObject(entry)) return malformed(form);
  const members = new Map<string, string>();
  for (const [name, member] of membersOf(text)) {
    if (members.has(name)) return nonconforming('the line has a key twice', repeatedKey(name));
    members.set(name, member);
  }
  const payload = members.get('payload');
  if (payload === undefined) return malformed(form);
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

const nonconforming = (message: string, detail: ErrorDetail): Unwrapped => ({
  ok: false,
  refusal: { name: 'SchemaValidationError', message, details: [detail] },
});

const ofTime = (message: string): Unwrapped =>
  nonconforming(`createdAt ${message}`, { path: '/createdAt', keyword: 'format', message });
