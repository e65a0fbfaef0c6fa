import { doubleAt, type Memory } from '@sluice/bson/values.ts';
import { type ByteSink, reserve, writeAscii } from './byte-sink.ts';

const zero = 0x30;
/** The longest: -1.2345678901234567e-308. */
const longest = 24;
const powers = Int32Array.from({ length: 10 }, (_, exponent) => 10 ** exponent);
const billion = 1e9;

/**
 * Writes the double at a position like `JSON.stringify`. Common numbers need no string.
 * It takes the position since V8 would make an object for each number that is passed.
 */
export function writeDouble(sink: ByteSink, source: Memory, at: number): void {
  const value = doubleAt(source, at);
  const magnitude = Math.abs(value);
  // Most numbers have two decimal places at most; then those that surely fit 31 bits.
  const hundredfold = Math.round(value * 100);
  const places =
    magnitude < 2e6 && hundredfold / 100 === value ? 2 : magnitude < 2e3 ? 6 : magnitude < 2e6 ? 3 : 0;
  const scale = powers[places] as number;
  const digits = Math.round(value * scale);
  // Fewer than 16 digits that read back as the number are its shortest form, except for trailing zeros.
  if (magnitude < 2e9 && digits / scale === value) writePlaces(sink, digits | 0, places);
  else if (magnitude < 1e15 && digits === value) writeLarge(sink, value);
  else writeAscii(sink, Number.isFinite(value) ? String(value) : 'null');
}

export function writeInt32(sink: ByteSink, value: number): void {
  if (value === -(2 ** 31)) writeLarge(sink, value);
  else writeDecimal(sink, value, 0);
}

function writePlaces(sink: ByteSink, value: number, most: number): void {
  let digits = value;
  let places = most;
  while (places > 0 && digits % 10 === 0) {
    digits = (digits / 10) | 0;
    places--;
  }
  writeDecimal(sink, digits, places);
}

/** Writes an integer of more than nine digits. */
function writeLarge(sink: ByteSink, value: number): void {
  const upper = Math.trunc(value / billion);
  writeDecimal(sink, upper, 0);
  reserve(sink, longest);
  writeDigits(sink.bytes, sink.length + 9, Math.abs(value - upper * billion), 9);
  sink.length += 9;
}

/** Writes digits, the last `places` of them after the decimal point. */
function writeDecimal(sink: ByteSink, value: number, places: number): void {
  reserve(sink, longest);
  const { bytes } = sink;
  let digits = value;
  if (value < 0) {
    bytes[sink.length++] = 0x2d;
    digits = -value;
  }
  let count = 1;
  while (count < 10 && digits >= (powers[count] as number)) count++;
  if (places === 0) {
    sink.length += count;
    writeDigits(bytes, sink.length, digits, count);
    return;
  }
  const whole = Math.max(count - places, 1);
  const end = sink.length + whole + 1 + places;
  const rest = writeDigits(bytes, end, digits, places);
  bytes[end - places - 1] = 0x2e;
  writeDigits(bytes, end - places - 1, rest, whole);
  sink.length = end;
}

/** Writes the last `count` digits before `end`. Returns the remaining digits. */
function writeDigits(bytes: Buffer, end: number, value: number, count: number): number {
  let digits = value;
  for (let at = end - 1; at >= end - count; at--) {
    const next = (digits / 10) | 0;
    bytes[at] = zero + digits - next * 10;
    digits = next;
  }
  return digits;
}
