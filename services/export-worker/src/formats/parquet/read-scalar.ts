import { boolean, double, int32, int64, string } from '@sluice/bson/types.ts';
import { doubleAt, int32At, int64At, type Memory, textEnd, textStart } from '@sluice/bson/values.ts';
import type { LeafKind, ReadScalar } from './nodes.ts';

const int64End = 2 ** 63;

/** Whether a double is an integer that fits 64 bits. */
export const fitsInt64 = (value: number) => Number.isInteger(value) && value > -int64End && value < int64End;

/** Whether the integer prints the same as a double. */
export const fitsDouble = (value: bigint) => String(Number(value)) === String(value);

export const readScalar: Record<Exclude<LeafKind, 'json' | 'string'>, ReadScalar> = {
  date: readDate,

  timestamp: readTimestamp,

  boolean: ({ bytes }, type, at) => (type === boolean ? bytes[at] : undefined),

  integer(source, type, at) {
    if (type === int32) return int32At(source, at);
    if (type === int64) return int64At(source, at);
    const value = type === double ? doubleAt(source, at) : Number.NaN;
    // JSON prints -0 as 0.
    if (Number.isSafeInteger(value)) return value + 0;
    // JSON prints the shortest digits, which can differ from the exact value of a larger double.
    return fitsInt64(value) ? BigInt(String(value)) : undefined;
  },

  number(source, type, at) {
    if (type === int32) return int32At(source, at);
    // JSON prints -0 as 0.
    if (type === double) return doubleAt(source, at) + 0;
    const value = type === int64 ? int64At(source, at) : undefined;
    return value !== undefined && fitsDouble(value) ? Number(value) : undefined;
  },
};

const dayMs = 86_400_000;
const [minus, plus, colon, point, space] = [0x2d, 0x2b, 0x3a, 0x2e, 0x20];
const isLetter = (byte: number | undefined, letter: string) =>
  byte !== undefined && (byte | 0x20) === letter.charCodeAt(0);
/** 0001-01-01 and 10000-01-01: many readers support only these years. */
const [firstMs, endMs] = [-62_135_596_800_000, 253_402_300_800_000];

/** Days since 1970 of a date such as 2026-11-23. Undefined if the value is no date. */
export function readDate(source: Memory, type: number, at: number): number | undefined {
  const start = textStart(at);
  if (type !== string || textEnd(source, at) !== start + 10) return undefined;
  const ms = dayAt(source.bytes, start);
  return ms >= firstMs ? ms / dayMs : undefined;
}

/**
 * Microseconds since 1970 of a timestamp such as 2026-11-23T08:00:00.25+01:00.
 * Undefined if the value is no timestamp, is a leap second, or is more precise. Old entries may have a space, +0100 or +01.
 */
export function readTimestamp(source: Memory, type: number, at: number): bigint | undefined {
  if (type !== string) return undefined;
  const { bytes } = source;
  const start = textStart(at);
  const end = textEnd(source, at);
  const between = bytes[start + 10];
  if (end - start < 20 || !(isLetter(between, 't') || between === space)) return undefined;
  if (bytes[start + 13] !== colon || bytes[start + 16] !== colon) return undefined;
  const [hours, minutes, seconds] = [start + 11, start + 14, start + 17].map((part) =>
    digits(bytes, part, 2),
  ) as [number, number, number];
  if (!(hours < 24 && minutes < 60 && seconds < 60)) return undefined;
  let zone = start + 19;
  let micros = 0;
  if (bytes[zone] === point) {
    const first = zone + 1;
    for (zone = first; isDigit(bytes[zone]); zone++) {
      const digit = (bytes[zone] as number) - 0x30;
      if (zone < first + 6) micros += digit * 10 ** (5 - zone + first);
      else if (digit !== 0) return undefined;
    }
    if (zone === first) return undefined;
  }
  const ms =
    dayAt(bytes, start) + hours * 3_600_000 + minutes * 60_000 + seconds * 1_000 - zoneAt(bytes, zone, end);
  return ms >= firstMs && ms < endMs ? BigInt(ms) * 1_000n + BigInt(micros) : undefined;
}

/** The ms of an offset from UTC that ends at `end`: Z, +01:00, +0100 or +01. NaN if invalid. */
function zoneAt(bytes: Buffer, at: number, end: number): number {
  if (isLetter(bytes[at], 'z')) return at + 1 === end ? 0 : Number.NaN;
  const sign = bytes[at] === plus ? 1 : bytes[at] === minus ? -1 : Number.NaN;
  const hours = digits(bytes, at + 1, 2);
  const rest = bytes[at + 3] === colon ? at + 4 : at + 3;
  const minutes = at + 3 === end ? 0 : rest + 2 === end ? digits(bytes, rest, 2) : Number.NaN;
  return hours < 24 && minutes < 60 ? sign * (hours * 3_600_000 + minutes * 60_000) : Number.NaN;
}

/** The ms at which a day begins, in UTC. NaN if invalid. */
function dayAt(bytes: Buffer, at: number): number {
  const [year, month, day] = [digits(bytes, at, 4), digits(bytes, at + 5, 2), digits(bytes, at + 8, 2)];
  if (bytes[at + 4] !== minus || bytes[at + 7] !== minus) return Number.NaN;
  const ms = new Date(0).setUTCFullYear(year, month - 1, day);
  // A day beyond the end of the month rolls over to the next month.
  return month > 0 && month <= 12 && new Date(ms).getUTCDate() === day ? ms : Number.NaN;
}

const isDigit = (byte: number | undefined) => byte !== undefined && byte >= 0x30 && byte <= 0x39;

/** NaN if a byte is no digit. */
function digits(bytes: Buffer, at: number, count: number): number {
  let value = 0;
  for (let place = at; place < at + count; place++)
    value = isDigit(bytes[place]) ? value * 10 + (bytes[place] as number) - 0x30 : Number.NaN;
  return value;
}
