import { maxNesting } from './find-issues.ts';
import { toNumber } from './numbers.ts';

// https://bsonspec.org/spec.html
const [double, string, object, array, boolean, none] = [0x01, 0x02, 0x03, 0x04, 0x08, 0x0a];
const [int32, int64] = [0x10, 0x12];

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

/** Where the string that was copied last ends in the text. */
let stringEnd = 0;

/** The most bytes that `writeBson` may need. */
export const bsonRoom = (json: Buffer): number => json.length * growth + 16;

/** One buffer serves nearly all commands. Pages that nobody writes take no memory. */
const usualBytes = 16 * 1024 ** 2;
let usual: Buffer | undefined;

/** Calls `write` with a buffer and returns the part before the end that `write` returns. The next call overwrites it. */
export function inRoom(bytes: number, write: (target: Buffer) => number): Buffer {
  const isUsual = bytes <= usualBytes;
  if (isUsual) usual ??= Buffer.allocUnsafeSlow(usualBytes);
  const target = (isUsual && usual) || Buffer.allocUnsafeSlow(bytes);
  return target.subarray(0, write(target));
}

/** Like `writeBson`, into memory that nobody else uses. */
export function toBson(json: Buffer): ArrayBuffer {
  const { buffer, byteOffset, length } = inRoom(bsonRoom(json), (target) => writeBson(json, target, 0));
  return buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer;
}

/**
 * Writes a JSON object that has passed `readPayload` as BSON, and returns where it ends. Members keep their order.
 * Numbers get the types that the driver would give them. Throws a TypeError for any other value.
 */
export function writeBson(json: Buffer, bson: Buffer, start: number): number {
  if (!isObjectText(json)) throw new TypeError('only objects are written as BSON');
  const copy = json.includes(backslash) ? copyEscaped : copyPlain;
  let at = start;
  let typeAt = start;
  let depth = 0;
  let item = inObject;
  for (let i = 0; ; ) {
    let byte = json[i++] as number;
    if (byte <= space || byte === comma) continue;
    if (byte === closeBrace || byte === closeBracket) {
      bson[at++] = 0;
      const began = begun[--depth] as number;
      writeInt32(bson, began, at - began);
      if (depth === 0) return at;
      item = items[depth] as number;
      continue;
    }
    if (depth > 0) {
      typeAt = at++;
      if (item === inObject) {
        at = copy(json, i, bson, at);
        i = stringEnd;
        do byte = json[i++] as number;
        while (byte <= space || byte === colon);
      } else at = writeIndex(item++, bson, at);
      bson[at++] = 0;
    }
    if (byte === quote) {
      bson[typeAt] = string;
      const began = at;
      at = copy(json, i, bson, began + 4);
      i = stringEnd;
      bson[at++] = 0;
      writeInt32(bson, began, at - began - 4);
    } else if (byte === openBrace || byte === openBracket) {
      if (depth > 0) bson[typeAt] = byte === openBrace ? object : array;
      begun[depth] = at;
      items[depth++] = item;
      item = byte === openBrace ? inObject : 0;
      at += 4;
    } else if (byte === letterT || byte === letterF) {
      bson[typeAt] = boolean;
      bson[at++] = byte === letterT ? 1 : 0;
      i += byte === letterT ? 3 : 4;
    } else if (byte === letterN) {
      bson[typeAt] = none;
      i += 3;
    } else {
      at = writeNumber(json, i - 1, bson, typeAt, at);
      i = numberEnd;
    }
  }
}

function isObjectText(json: Buffer): boolean {
  let i = 0;
  while ((json[i] as number) <= space) i++;
  return json[i] === openBrace;
}

/** Copies a string that has no escapes. */
function copyPlain(json: Buffer, start: number, bson: Buffer, at: number): number {
  const soon = start + shortText;
  let to = at;
  for (let i = start; i < soon; i++) {
    const byte = json[i] as number;
    if (byte === quote) {
      stringEnd = i + 1;
      return to;
    }
    bson[to++] = byte;
  }
  const end = json.indexOf(quote, soon);
  stringEnd = end + 1;
  return to + json.copy(bson, to, soon, end);
}

function copyEscaped(json: Buffer, start: number, bson: Buffer, at: number): number {
  let isEscaped = false;
  let i = start;
  for (let byte = json[i]; byte !== quote; byte = json[++i]) {
    if (byte !== backslash) continue;
    isEscaped = true;
    i++;
  }
  stringEnd = i + 1;
  if (!isEscaped) return at + json.copy(bson, at, start, i);
  return at + bson.write(JSON.parse(json.toString('utf8', start - 1, stringEnd)), at);
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

/** Where the number that was written last ends in the text. */
let numberEnd = 0;

function readNumber(json: Buffer, start: number): number | bigint {
  const isNegative = json[start] === minus;
  let i = isNegative ? start + 1 : start;
  let digits = 0;
  let pointAt = -1;
  for (; ; i++) {
    const byte = json[i] as number;
    if (byte >= zero && byte <= nine) digits = digits * 10 + (byte - zero);
    else if (byte === point) pointAt = i;
    else if (byte <= space || byte === comma || byte === closeBracket || byte === closeBrace) break;
    else return readExponent(json, start, i);
  }
  numberEnd = i;
  if (i - start > exactDigits) return toNumber(json.toString('latin1', start, i));
  const value = pointAt < 0 ? digits : digits / (powers[i - pointAt - 1] as number);
  return isNegative ? -value : value;
}

function readExponent(json: Buffer, start: number, at: number): number | bigint {
  let i = at;
  while (json[i] !== comma && json[i] !== closeBracket && json[i] !== closeBrace) i++;
  numberEnd = i;
  return toNumber(json.toString('latin1', start, i));
}

/** Writes the number at `start` of a JSON text, and its type at `typeAt`. Returns where it ends in `bson`. */
function writeNumber(json: Buffer, start: number, bson: Buffer, typeAt: number, at: number): number {
  const value = readNumber(json, start);
  if (typeof value === 'bigint') {
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
