import { ApiError } from '@sluice/shared/errors.ts';

/** One payload of a batch: where it is in the body, and how a client would count it, from 1. */
export interface Line {
  line: number;
  bytes: Buffer;
}

const newline = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const tab = 0x09;
const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const open = new Set([0x5b, 0x7b]);
const close = new Set([0x5d, 0x7d]);

/** The lines of NDJSON that are not blank. Throws ApiError when there are more than `most`. */
export function linesOf(body: Buffer, most: number): Line[] {
  const lines: Line[] = [];
  for (let line = 1, start = 0; start < body.length; line++) {
    const found = body.indexOf(newline, start);
    const end = found === -1 ? body.length : found;
    const bytes = body.subarray(start, end);
    if (!isBlank(bytes)) push(lines, { line, bytes }, most);
    start = end + 1;
  }
  return lines;
}

/**
 * The elements of a JSON array. They are told apart, not parsed: what is wrong inside of one is its own affair.
 * Throws ApiError when the body is no array, or has more than `most` elements.
 */
export function elementsOf(body: Buffer, most: number): Line[] {
  const elements: Line[] = [];
  let at = afterBlanks(body, hasByteOrderMark(body) ? 3 : 0);
  if (body[at] !== 0x5b) throw malformed('the body is not a JSON array');
  at = afterBlanks(body, at + 1);
  if (body[at] === 0x5d) return ended(body, at, elements);
  for (;;) {
    const end = endOfElement(body, at);
    const bytes = body.subarray(at, end);
    const line = elements.length + 1;
    if (isBlank(bytes)) throw malformed(`element ${line} of the array is missing`);
    push(elements, { line, bytes }, most);
    if (end === body.length) throw malformed('the array has no end');
    if (body[end] !== comma) return ended(body, end, elements);
    at = afterBlanks(body, end + 1);
  }
}

/** The place of the comma or bracket behind an element; the body's length when there is none. */
function endOfElement(body: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < body.length; at++) {
    const byte = body[at] as number;
    if (byte === quote) at = endOfString(body, at);
    else if (open.has(byte)) depth++;
    else if (close.has(byte)) {
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
  if (body[at] !== 0x5d || afterBlanks(body, at + 1) < body.length)
    throw malformed('something follows the end of the array');
  return elements;
}

function push(lines: Line[], line: Line, most: number): void {
  if (lines.length === most) {
    throw new ApiError('PayloadTooLargeError', `the batch has more than ${most} lines; nothing was stored`);
  }
  lines.push(line);
}

const malformed = (message: string) => new ApiError('MalformedBodyError', `${message}; nothing was stored`);

const isBlankByte = (byte: number | undefined) =>
  byte === space || byte === tab || byte === newline || byte === carriageReturn;

function afterBlanks(body: Buffer, from: number): number {
  let at = from;
  while (isBlankByte(body[at])) at++;
  return at;
}

const isBlank = (bytes: Buffer) => afterBlanks(bytes, 0) === bytes.length;

const hasByteOrderMark = (body: Buffer) => body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
