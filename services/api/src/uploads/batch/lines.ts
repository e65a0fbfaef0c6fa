import { ApiError } from '@sluice/shared/errors.ts';

/** One payload of a batch: where it is in the body, and how a client would count it, from 1. */
export interface Line {
  line: number;
  bytes: Buffer;
}

const newline = 0x0a;
const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;

// What a byte is to the scan. A table, because the whole body is scanned in one turn.
const [other, blank, begins, closes] = [0, 1, 2, 3];
const kinds = new Uint8Array(256).fill(other);
for (const byte of Buffer.from(' \t\r\n')) kinds[byte] = blank;
for (const byte of Buffer.from('[{')) kinds[byte] = begins;
for (const byte of Buffer.from(']}')) kinds[byte] = closes;

/** The lines of NDJSON that are not blank; those that are count too. Throws ApiError when there are more than `most`. */
export function linesOf(body: Buffer, most: number): Line[] {
  const lines: Line[] = [];
  let line = 1;
  for (let at = afterMark(body); at < body.length; at++) {
    const byte = body[at] as number;
    if (byte === newline) line++;
    if (kinds[byte] === blank) continue;
    const found = body.indexOf(newline, at);
    const end = found === -1 ? body.length : found;
    push(lines, line, body.subarray(at, end), most);
    // The newline is still to be counted.
    at = end - 1;
  }
  return lines;
}

/**
 * The elements of a JSON array. They are told apart, not parsed: what is wrong inside of one is its own affair.
 * Throws ApiError when the body is no array, or has more than `most` elements.
 */
export function elementsOf(body: Buffer, most: number): Line[] {
  const elements: Line[] = [];
  let at = afterBlanks(body, afterMark(body));
  if (body[at] !== openBracket) throw malformed('the body is not a JSON array');
  at = afterBlanks(body, at + 1);
  if (body[at] === closeBracket) return ended(body, at, elements);
  for (;;) {
    const end = endOfElement(body, at);
    const line = elements.length + 1;
    if (end === at) throw malformed(`element ${line} of the array is missing`);
    push(elements, line, body.subarray(at, end), most);
    if (end === body.length) throw malformed('the array has no end');
    if (body[end] !== comma) return ended(body, end, elements);
    at = afterBlanks(body, end + 1);
  }
}

/** The elements of an array, or any other body as the one line that it is. Throws ApiError. */
export function elementsOrWhole(body: Buffer, most: number): Line[] {
  const isArray = body[afterBlanks(body, afterMark(body))] === openBracket;
  return isArray ? elementsOf(body, most) : [{ line: 1, bytes: body }];
}

/** The place of the comma or bracket behind an element; the body's length when there is none. */
function endOfElement(body: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < body.length; at++) {
    const byte = body[at] as number;
    const kind = kinds[byte];
    if (byte === quote) at = endOfString(body, at);
    else if (kind === begins) depth++;
    else if (kind === closes) {
      if (depth === 0) return at;
      depth--;
    } else if (byte === comma && depth === 0) return at;
  }
  return body.length;
}

function endOfString(body: Buffer, from: number): number {
  let at = from + 1;
  while (at < body.length && body[at] !== quote) at += body[at] === backslash ? 2 : 1;
  return at;
}

function ended(body: Buffer, at: number, elements: Line[]): Line[] {
  if (body[at] !== closeBracket || afterBlanks(body, at + 1) < body.length)
    throw malformed('something follows the end of the array');
  return elements;
}

function push(lines: Line[], line: number, bytes: Buffer, most: number): void {
  if (lines.length === most) {
    throw new ApiError('PayloadTooLargeError', `the batch has more than ${most} lines; nothing was stored`);
  }
  // Before a body the mark is ignored; before a line it is no JSON, as a blank before it makes plain.
  lines.push({ line, bytes: afterMark(bytes) > 0 ? Buffer.concat([Buffer.from(' '), bytes]) : bytes });
}

const malformed = (message: string) => new ApiError('MalformedBodyError', `${message}; nothing was stored`);

function afterBlanks(body: Buffer, from: number): number {
  let at = from;
  while (at < body.length && kinds[body[at] as number] === blank) at++;
  return at;
}

/** Behind a byte order mark, where there is one. */
const afterMark = (body: Buffer) => (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0);
