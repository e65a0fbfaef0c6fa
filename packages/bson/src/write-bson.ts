import { maxNesting } from '@sluice/json/find-issues.ts';
import { keptNumber } from '@sluice/json/numbers.ts';
import { array, boolean, document, double, int32, int64, nil, string } from './types.ts';

const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const [letterF, letterN, letterT] = [0x66, 0x6e, 0x74];
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** BSON has at most 7 times the bytes. The worst text is `[0,0,…]`: 13 bytes for 2 where an index has 7 digits. */
const growth = 7;
/** For longer texts, the runtime's search and copy are faster than a loop over bytes. */
const shortText = 32;

/** For each open object or array: where it began, and its current index, or `inObject`. */
const begun = new Int32Array(maxNesting + 1);
const items = new Int32Array(maxNesting + 1);
const inObject = -1;

/** The result of `writeBson` for a payload that the store would not return as it was sent. */
export const inexact = -1;

/** What `writeBson` found in the text that it wrote last. */
export const written = { members: 0, hasBigInts: false, hasEscapedKeys: false };

/** Where the string that was copied last ends in the text, and whether its value has a NUL. */
let stringEnd = 0;
let hasNul = false;

/** The most bytes that `writeBson` may need. */
export const bsonRoom = (json: Buffer): number => json.length * growth + 16;

/**
 * Writes a valid JSON object as BSON. Returns where it ends, or `inexact`. Members keep their order, also where a key is repeated: see
 * `written.members`. Numbers get the types that the driver would give them. Throws a TypeError for any other value.
 */
export function writeBson(json: Buffer, bson: Buffer, start: number): number {
  if (!isObjectText(json)) throw new TypeError('only objects are written as BSON');
  let at = start;
  let typeAt = start;
  let depth = 0;
  let item = inObject;
  let members = 0;
  nextQuote = 0;
  nextEscape = 0;
  written.hasBigInts = false;
  written.hasEscapedKeys = false;
  for (let i = 0; ; ) {
    let byte = json[i++] as number;
    if (byte <= space || byte === comma) continue;
    if (byte === closeBrace || byte === closeBracket) {
      bson[at++] = 0;
      const began = begun[--depth] as number;
      writeInt32(bson, began, at - began);
      if (depth === 0) {
        written.members = members;
        return at;
      }
      item = items[depth] as number;
      continue;
    }
    if (depth > 0) {
      typeAt = at++;
      if (item === inObject) {
        members++;
        hasNul = false;
        const end = copyString(json, i, bson, at);
        if (end === inexact || hasNul) return inexact;
        // An escape is longer than its character.
        if (stringEnd - 1 - i !== end - at) written.hasEscapedKeys = true;
        at = end;
        i = stringEnd;
        do byte = json[i++] as number;
        while (byte <= space || byte === colon);
      } else at = writeIndex(item++, bson, at);
      bson[at++] = 0;
    }
    if (byte === quote) {
      bson[typeAt] = string;
      const began = at;
      at = copyString(json, i, bson, began + 4);
      if (at === inexact) return inexact;
      i = stringEnd;
      bson[at++] = 0;
      writeInt32(bson, began, at - began - 4);
    } else if (byte === openBrace || byte === openBracket) {
      if (depth === maxNesting) return inexact;
      if (depth > 0) bson[typeAt] = byte === openBrace ? document : array;
      begun[depth] = at;
      items[depth++] = item;
      item = byte === openBrace ? inObject : 0;
      at += 4;
    } else if (byte === letterT || byte === letterF) {
      bson[typeAt] = boolean;
      bson[at++] = byte === letterT ? 1 : 0;
      i += byte === letterT ? 3 : 4;
    } else if (byte === letterN) {
      bson[typeAt] = nil;
      i += 3;
    } else {
      at = writeNumber(json, i - 1, bson, typeAt, at);
      if (at === inexact) return inexact;
      i = numberEnd;
    }
  }
}

export function isObjectText(json: Buffer): boolean {
  let i = 0;
  while ((json[i] as number) <= space) i++;
  return json[i] === openBrace;
}

/** Positions of the next quote and backslash. A search begins only behind the last position, so a text is searched twice at most. */
let nextQuote = 0;
let nextEscape = 0;

function find(json: Buffer, byte: number, from: number): number {
  const at = json.indexOf(byte, from);
  return at < 0 ? json.length : at;
}

/** Copies the string that begins at `start`, without its quotes. Returns where it ends, or `inexact`. */
function copyString(json: Buffer, start: number, bson: Buffer, at: number): number {
  let to = at;
  for (let i = start; ; ) {
    const soon = i + shortText;
    let byte = 0;
    for (; i < soon; i++) {
      byte = json[i] as number;
      if (byte === quote || byte === backslash) break;
      bson[to++] = byte;
    }
    if (byte === quote) {
      stringEnd = i + 1;
      return to;
    }
    if (byte === backslash) {
      to = writeEscape(json, i, bson, to);
      if (to === inexact) return inexact;
      i = escapeEnd;
      continue;
    }
    if (nextQuote < i) nextQuote = find(json, quote, i);
    if (nextEscape < i) nextEscape = find(json, backslash, i);
    const end = Math.min(nextQuote, nextEscape);
    to += json.copy(bson, to, i, end);
    i = end;
  }
}

const [letterB, letterR, letterU] = [0x62, 0x72, 0x75];

/** What an escape of two characters stands for. */
function escaped(letter: number): number {
  if (letter === letterN) return 0x0a;
  if (letter === letterT) return 0x09;
  if (letter === letterR) return 0x0d;
  if (letter === letterB) return 0x08;
  return letter === letterF ? 0x0c : letter;
}

/** Where the escape that was written last ends in the text. */
let escapeEnd = 0;

/** Writes the character of an escape as UTF-8. Returns where it ends, or `inexact` for half a surrogate pair. */
function writeEscape(json: Buffer, start: number, bson: Buffer, at: number): number {
  const letter = json[start + 1] as number;
  escapeEnd = start + 2;
  if (letter !== letterU) {
    bson[at] = escaped(letter);
    return at + 1;
  }
  let code = readHex(json, start + 2);
  escapeEnd = start + 6;
  if (code >= 0xd800 && code <= 0xdfff) {
    const isPair = code < 0xdc00 && json[start + 6] === backslash && json[start + 7] === letterU;
    const low = isPair ? readHex(json, start + 8) : 0;
    if (low < 0xdc00 || low > 0xdfff) return inexact;
    code = 0x10000 + ((code - 0xd800) << 10) + low - 0xdc00;
    escapeEnd = start + 12;
  }
  if (code === 0) hasNul = true;
  return writeUtf8(code, bson, at);
}

function readHex(json: Buffer, start: number): number {
  let code = 0;
  for (let i = start; i < start + 4; i++) {
    const byte = json[i] as number;
    code = (code << 4) + (byte <= nine ? byte - zero : (byte | 0x20) - 0x57);
  }
  return code;
}

function writeUtf8(code: number, bson: Buffer, start: number): number {
  let at = start;
  if (code < 0x80) bson[at++] = code;
  else {
    if (code < 0x800) bson[at++] = 0xc0 | (code >> 6);
    else {
      if (code < 0x10000) bson[at++] = 0xe0 | (code >> 12);
      else {
        bson[at++] = 0xf0 | (code >> 18);
        bson[at++] = 0x80 | ((code >> 12) & 0x3f);
      }
      bson[at++] = 0x80 | ((code >> 6) & 0x3f);
    }
    bson[at++] = 0x80 | (code & 0x3f);
  }
  return at;
}

/** The name of an element is its index. */
function writeIndex(item: number, bson: Buffer, at: number): number {
  if (item < 10) {
    bson[at] = zero + item;
    return at + 1;
  }
  if (item > 99) return at + bson.write(String(item), at, 'latin1');
  const tens = Math.floor(item / 10);
  bson[at] = zero + tens;
  bson[at + 1] = zero + item - 10 * tens;
  return at + 2;
}

/** Up to 15 digits, and powers of ten up to 10^22, are exact as doubles: one division rounds right. */
const exactDigits = 15;
const powers = Array.from({ length: exactDigits + 1 }, (_, i) => 10 ** i);
const asDouble = new Float64Array(1);
const itsBytes = new Uint8Array(asDouble.buffer);

/** Where the number that was read last ends in the text. */
let numberEnd = 0;

/** Undefined for a number that would change. */
function readNumber(json: Buffer, start: number): number | bigint | undefined {
  const isNegative = json[start] === minus;
  let i = isNegative ? start + 1 : start;
  let digits = 0;
  let pointAt = -1;
  for (; ; i++) {
    const byte = json[i] as number;
    if (byte >= zero && byte <= nine) digits = digits * 10 + (byte - zero);
    else if (byte === point) pointAt = i;
    else if (byte <= space || byte === comma || byte === closeBracket || byte === closeBrace) break;
    else return readLong(json, start, i);
  }
  if (i - start > exactDigits) return readLong(json, start, i);
  numberEnd = i;
  const value = pointAt < 0 ? digits : digits / (powers[i - pointAt - 1] as number);
  return isNegative ? -value : value;
}

/** A number with an exponent, or with many digits. */
function readLong(json: Buffer, start: number, at: number): number | bigint | undefined {
  let i = at;
  for (
    let byte = json[i] as number;
    byte > space && byte !== comma && byte !== closeBracket;
    byte = json[++i] as number
  )
    if (byte === closeBrace) break;
  numberEnd = i;
  return keptNumber(json.toString('latin1', start, i));
}

/** Writes the number at `start` of a JSON text, and its type at `typeAt`. Returns where it ends in `bson`, or `inexact`. */
function writeNumber(json: Buffer, start: number, bson: Buffer, typeAt: number, at: number): number {
  const value = readNumber(json, start);
  if (value === undefined) return inexact;
  if (typeof value === 'bigint') {
    written.hasBigInts = true;
    bson[typeAt] = int64;
    return bson.writeBigInt64LE(value, at);
  }
  // -0 too: JSON prints it as 0.
  if ((value | 0) === value) {
    bson[typeAt] = int32;
    writeInt32(bson, at, value);
    return at + 4;
  }
  bson[typeAt] = double;
  asDouble[0] = value;
  for (let i = 0; i < 8; i++) bson[at + i] = itsBytes[i] as number;
  return at + 8;
}

function writeInt32(bson: Buffer, at: number, value: number): void {
  bson[at] = value;
  bson[at + 1] = value >> 8;
  bson[at + 2] = value >> 16;
  bson[at + 3] = value >> 24;
}
