import { isUtf8 } from 'node:buffer';
import { explainSyntax } from './explain-syntax.ts';
import type { PayloadIssue } from './find-issues.ts';
import { bsonTypeKey, findIssues, maxNesting, referenceKey } from './find-issues.ts';
import { keptNumber } from './numbers.ts';
import { parseJson, prototypeKey, readExactJson } from './parse-json.ts';

const quote = 0x22;
const minus = 0x2d;
const colon = 0x3a;
const backslash = 0x5c;
const suspicious = -1;
/** Any decimal with at most 15 digits and no exponent survives as a double. */
const safeDigits = 15;

/**
 * `json` and `text`: the body without its byte order mark. `malformed` and `forbidden` become a 400, `inexact` a 422.
 * No message quotes the body.
 */
export type Reading =
  | { ok: true; payload: unknown; json: Buffer; text: string }
  | { ok: false; kind: 'malformed' | 'forbidden'; message: string }
  | { ok: false; kind: 'inexact'; issues: PayloadIssue[] };

/**
 * Reads a JSON body, or says why the store would not return it as it was sent.
 * Integers beyond 2^53 become BigInts.
 */
export function readPayload(body: Buffer): Reading {
  const json = withoutByteOrderMark(body);
  if (!isUtf8(json)) return malformed(`the body is not valid UTF-8${isGzip(json) ? gzipHint : ''}`);
  const text = json.toString('utf8');
  let payload: unknown;
  try {
    payload = parseJson(text);
  } catch (error) {
    const isEmpty = /^[ \t\r\n]*$/.test(text);
    return malformed(isEmpty ? 'the body is empty' : `the body is not JSON: ${explainSyntax(text, error)}`);
  }
  const issues = isSurelyExact(json, text, payload) ? [] : findIssues(text);
  if (issues === 'forbidden')
    return { ok: false, kind: 'forbidden', message: `the key ${prototypeKey} is not accepted` };
  if (issues.length > 0) return { ok: false, kind: 'inexact', issues };
  return { ok: true, payload: hasBigInts ? readExactJson(text) : payload, json, text };
}

/** False if `findIssues` must look closer. The value of a text with duplicate keys has fewer members than the text. */
function isSurelyExact(json: Buffer, text: string, payload: unknown): boolean {
  const written = countWritten(json);
  return written !== suspicious && written === countKept(payload, text.includes('\\'), 0);
}

/** Whether the text that was counted last has integers that become BigInts. */
let hasBigInts = false;

/** Counts colons outside strings. Bytes are read twice as fast as characters. */
function countWritten(json: Buffer): number {
  const { length } = json;
  let members = 0;
  let i = 0;
  hasBigInts = false;
  while (i < length) {
    const byte = json[i++] as number;
    if (byte === quote) {
      for (let inside = json[i++]; inside !== quote; inside = json[i++]) if (inside === backslash) i++;
    } else if (byte === colon) {
      members++;
    } else if (isDigit(byte)) {
      const start = i - 1;
      let digits = 1;
      while (i < length) {
        const next = json[i] as number;
        if (isDigit(next)) digits++;
        else if (isExponent(next)) digits += safeDigits;
        else if (!isPointOrSign(next)) break;
        i++;
      }
      if (digits <= safeDigits) continue;
      const literal = json.toString('latin1', json[start - 1] === minus ? start - 1 : start, i);
      const value = keptNumber(literal);
      if (value === undefined) return suspicious;
      hasBigInts ||= typeof value === 'bigint';
    }
  }
  return members;
}

const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39;
const isExponent = (byte: number) => (byte | 0x20) === 0x65;
const isPointOrSign = (byte: number) => byte === 0x2e || byte === 0x2d || byte === 0x2b;

/** Counts the members of a value. Without escapes, strings from valid UTF-8 need no check. */
function countKept(value: unknown, escaped: boolean, level: number): number {
  if (typeof value === 'string') return escaped && !value.isWellFormed() ? suspicious : 0;
  if (typeof value !== 'object' || value === null) return 0;
  if (level === maxNesting) return suspicious;
  let members = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      if (needsNoCheck(value[i], escaped)) continue;
      const inside = countKept(value[i], escaped, level + 1);
      if (inside === suspicious) return suspicious;
      members += inside;
    }
    return members;
  }
  for (const key in value) {
    if (key === prototypeKey || key === bsonTypeKey || key === referenceKey) return suspicious;
    if (escaped && (key.includes('\0') || !key.isWellFormed())) return suspicious;
    members++;
    const item = (value as Record<string, unknown>)[key];
    if (needsNoCheck(item, escaped)) continue;
    const inside = countKept(item, escaped, level + 1);
    if (inside === suspicious) return suspicious;
    members += inside;
  }
  return members;
}

const needsNoCheck = (value: unknown, escaped: boolean) =>
  typeof value !== 'object' && !(escaped && typeof value === 'string');

const gzipHint = '; it looks like gzip: send Content-Encoding: gzip';
const isGzip = (bytes: Buffer) => bytes[0] === 0x1f && bytes[1] === 0x8b;

function malformed(message: string): Reading {
  return { ok: false, kind: 'malformed', message };
}

export function withoutByteOrderMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
}
