import { toNumber } from './numbers.ts';

// https://bsonspec.org/spec.html
const [double, int32, int64] = [0x01, 0x10, 0x12];

const space = 0x20;
const comma = 0x2c;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const closeBracket = 0x5d;
const closeBrace = 0x7d;

/** A decimal of so many digits is exact as a double, and so are powers of ten up to 10^22: one division rounds right. */
const exactDigits = 15;
const powers = Array.from({ length: exactDigits + 1 }, (_, i) => 10 ** i);
const asDouble = new Float64Array(1);
const itsBytes = new Uint8Array(asDouble.buffer);

/** Where the text goes on behind the number that was written last. */
export let numberEnd = 0;

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

/** Writes the number that begins at `start` of a JSON text, its type at `typeAt`. Returns where it ends; `numberEnd` is its end in the text. */
export function writeNumber(json: Buffer, start: number, bson: Buffer, typeAt: number, at: number): number {
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

export function writeInt32(bson: Buffer, at: number, value: number): void {
  bson[at] = value;
  bson[at + 1] = value >> 8;
  bson[at + 2] = value >> 16;
  bson[at + 3] = value >> 24;
}
