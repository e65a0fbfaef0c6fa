import { maxNesting } from './rules.ts';
import { numberEnd, writeInt32, writeNumber } from './write-number.ts';

// https://bsonspec.org/spec.html
const [string, object, array, boolean, none] = [0x02, 0x03, 0x04, 0x08, 0x0a];

const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const zero = 0x30;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const [letterF, letterN, letterT] = [0x66, 0x6e, 0x74];
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** `[0,0,…]` comes nearest to it: 13 bytes for 2 where the name of an item has 7 digits. */
const growth = 7;
/** To find the end of a longer text and to copy it is quicker by the runtime than byte by byte. */
const shortText = 32;

/** The objects and arrays around the place: where each began, and at which item it was, or `inObject`. */
const begun = new Int32Array(maxNesting + 1);
const items = new Int32Array(maxNesting + 1);
const inObject = -1;

/** Where the text goes on behind the string that was read last. */
let behind = 0;

/** The room that `writeBson` may need. */
export const bsonRoom = (json: Buffer): number => json.length * growth + 16;

/** Used again and again, more than nearly every command takes; what is never written takes no memory. */
const usualBytes = 16 * 1024 ** 2;
let usual: Buffer | undefined;

/** What `write` puts into a buffer of so many bytes, up to where it says that it ends. To be copied: the next call overwrites it. */
export function inRoom(bytes: number, write: (target: Buffer) => number): Buffer {
  const isUsual = bytes <= usualBytes;
  if (isUsual) usual ??= Buffer.allocUnsafeSlow(usualBytes);
  const target = (isUsual && usual) || Buffer.allocUnsafeSlow(bytes);
  return target.subarray(0, write(target));
}

/** What `writeBson` writes, in memory that is nobody else's. */
export function toBson(json: Buffer): ArrayBuffer {
  const { buffer, byteOffset, length } = inRoom(bsonRoom(json), (target) => writeBson(json, target, 0));
  return buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer;
}

/**
 * Writes a JSON object as BSON and returns where that ends. The text must have passed `readPayload`: it is valid, and no deeper
 * than `maxNesting`. Members keep their order; numbers have the type that the driver would give them (int64 to a BigInt, see `toNumber`). Throws a TypeError for a
 * value that is no object.
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
        i = behind;
        do byte = json[i++] as number;
        while (byte <= space || byte === colon);
      } else at = writeIndex(item++, bson, at);
      bson[at++] = 0;
    }
    if (byte === quote) {
      bson[typeAt] = string;
      const began = at;
      at = copy(json, i, bson, began + 4);
      i = behind;
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

/** Copies a string of a text without escapes. */
function copyPlain(json: Buffer, start: number, bson: Buffer, at: number): number {
  const soon = start + shortText;
  let to = at;
  for (let i = start; i < soon; i++) {
    const byte = json[i] as number;
    if (byte === quote) {
      behind = i + 1;
      return to;
    }
    bson[to++] = byte;
  }
  const end = json.indexOf(quote, soon);
  behind = end + 1;
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
  behind = i + 1;
  if (!isEscaped) return at + json.copy(bson, at, start, i);
  return at + bson.write(JSON.parse(json.toString('utf8', start - 1, behind)), at);
}

/** Names of items are their numbers. */
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
