import { isUtf8 } from 'node:buffer';
import { findIssues } from './find-issues.ts';
import type { PayloadIssue } from './issues.ts';
import { parseJson } from './parse-json.ts';
import { isSurelyExact } from './quick-check.ts';
import { prototypeKey } from './rules.ts';
import { endOfToken, isNumeric } from './tokens.ts';

export type { PayloadIssue } from './issues.ts';
export { maxNesting } from './rules.ts';

/** `json` is the body without a byte order mark, and `text` says the same. `malformed` is a 400, `inexact` a 422. No message quotes the body. */
export type Reading =
  | { ok: true; payload: unknown; json: Buffer; text: string }
  | { ok: false; kind: 'malformed'; message: string }
  | { ok: false; kind: 'inexact'; issues: PayloadIssue[] };

/** Reads a JSON body (any JSON value) that will come back from the store as it was sent, or says why it would not. */
export function readPayload(body: Buffer): Reading {
  const json = withoutByteOrderMark(body);
  if (!isUtf8(json)) return malformed('The body is not valid UTF-8.');
  const text = json.toString('utf8');
  let payload: unknown;
  try {
    payload = parseJson(text);
  } catch (error) {
    return malformed(explain(error, text));
  }
  if (isSurelyExact(json, text, payload)) return { ok: true, payload, json, text };
  const issues = findIssues(text);
  if (issues === 'forbidden') return malformed(`The key ${prototypeKey} is not accepted.`);
  return issues.length === 0 ? { ok: true, payload, json, text } : { ok: false, kind: 'inexact', issues };
}

function malformed(message: string): Reading {
  return { ok: false, kind: 'malformed', message };
}

export function withoutByteOrderMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
}

/** Takes only the position from JSON.parse's message, which quotes the body. */
function explain(error: unknown, text: string): string {
  if (/^[ \t\r\n]*$/.test(text)) return 'The body is empty.';
  const { message } = error as SyntaxError;
  if (message === 'Unexpected end of JSON input') return 'The body is not JSON: it ends too early.';
  const told = / at position (\d+)/.exec(message)?.[1];
  const position = told === undefined ? endOfTokens(text) : Number(told);
  const before = text.slice(0, position);
  const line = before.split('\n').length;
  const column = before.length - before.lastIndexOf('\n');
  return `The body is not JSON: position ${position} (line ${line}, column ${column}).`;
}

const words = ['true', 'false', 'null'];

/** Where the first token is that JSON does not have. */
function endOfTokens(text: string): number {
  for (let at = 0; ; ) {
    const character = text[at] ?? '';
    if (character === '"' || isNumeric(character)) at = endOfToken(text, at);
    else if (character !== '' && ' \t\r\n{}[]:,'.includes(character)) at += 1;
    else {
      const word = words.find((word) => text.startsWith(word, at));
      if (!word) return at;
      at += word.length;
    }
  }
}
