import { isUtf8 } from 'node:buffer';
import { withoutByteOrderMark } from '@sluice/json/byte-order-mark.ts';
import { explainBytes, foreignStart } from '@sluice/json/explain-bytes.ts';
import { findSyntaxFault } from '@sluice/json/explain-syntax.ts';
import type { PayloadIssue } from '@sluice/json/find-issues.ts';
import { bsonTypeKey, findIssues, referenceKey } from '@sluice/json/find-issues.ts';
import { prototypeKey, readExactJson } from '@sluice/json/parse-json.ts';
import { keep, roomFor } from './room.ts';
import { bsonRoom, inexact, isObjectText, writeBson, written } from './write-bson.ts';

const suspicious = -1;

/**
 * `json`: the body without its byte order mark. `bson`: the same as BSON; undefined unless the payload is an object.
 * `malformed` and `forbidden` become a 400, `inexact` a 422. No message quotes the body. `ofLine`: the message if the body is one line of many.
 */
export type Reading =
  | { ok: true; payload: unknown; json: Buffer; bson: Buffer | undefined }
  | { ok: false; kind: 'malformed' | 'forbidden'; message: string; ofLine: string }
  | { ok: false; kind: 'inexact'; issues: PayloadIssue[] };

/**
 * Reads a JSON body, or says why the store would not return it as it was sent.
 * Integers beyond 2^53 become BigInts.
 */
export function readPayload(body: Buffer): Reading {
  const json = withoutByteOrderMark(body);
  if (!isUtf8(json)) return malformed(explainBytes(json));
  const text = json.toString('utf8');
  let payload: unknown;
  try {
    payload = JSON.parse(text);
  } catch (error) {
    const isEmpty = /^[ \t\r\n]*$/.test(text);
    if (isEmpty) return malformed('empty');
    const foreign = foreignStart(json);
    if (foreign) return malformed(`not JSON: ${foreign}`);
    const { message, ofLine } = findSyntaxFault(text, error);
    return malformed(`not JSON: ${message}`, `not JSON: ${ofLine}`);
  }
  const { target, start } = roomFor(bsonRoom(json));
  const end = isObjectText(json) ? writeBson(json, target, start) : inexact;
  // V8 can confuse escaped keys: see `parseJson`.
  if (end === inexact || written.hasBigInts || written.hasEscapedKeys) payload = readExactJson(text);
  const isSurelyExact = end !== inexact && written.members === countKept(payload);
  const issues = isSurelyExact ? [] : findIssues(text);
  if (issues === 'forbidden') {
    const message = `the key ${prototypeKey} is not accepted`;
    return { ok: false, kind: 'forbidden', message, ofLine: message };
  }
  if (issues.length > 0) return { ok: false, kind: 'inexact', issues };
  return {
    ok: true,
    payload,
    json,
    bson: end === inexact ? undefined : keep(target, start, end),
  };
}

/** Counts the members of a value: repeated keys of the text are one. `suspicious` if `findIssues` must look closer. */
function countKept(value: unknown): number {
  let members = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      if (typeof value[i] !== 'object' || value[i] === null) continue;
      const inside = countKept(value[i]);
      if (inside === suspicious) return suspicious;
      members += inside;
    }
    return members;
  }
  for (const key in value as Record<string, unknown>) {
    if (key === prototypeKey || key === bsonTypeKey || key === referenceKey) return suspicious;
    members++;
    const item = (value as Record<string, unknown>)[key];
    if (typeof item !== 'object' || item === null) continue;
    const inside = countKept(item);
    if (inside === suspicious) return suspicious;
    members += inside;
  }
  return members;
}

function malformed(fault: string, ofLine = fault): Reading {
  return { ok: false, kind: 'malformed', message: `the body is ${fault}`, ofLine: `the line is ${ofLine}` };
}
