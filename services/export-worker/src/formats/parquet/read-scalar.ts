import { boolean, double, int32, int64, string } from '../bson-walk.ts';
import type { LeafKind, ReadScalar } from './nodes.ts';
import { readDate, readTimestamp } from './read-time.ts';

const int64End = 2 ** 63;

/** Whether a 64-bit integer has the digits that JSON prints of a double. */
export const fitsInt64 = (value: number) => Number.isInteger(value) && value > -int64End && value < int64End;

/** Whether JSON prints the double of an integer with the same digits. */
export const fitsDouble = (value: bigint) => String(Number(value)) === String(value);

export const readScalar: Record<Exclude<LeafKind, 'json'>, ReadScalar> = {
  string: ({ bytes, view }, type, at) =>
    type === string ? bytes.toString('utf8', at + 4, at + 3 + view.getInt32(at, true)) : undefined,

  date: readDate,

  timestamp: readTimestamp,

  boolean: ({ bytes }, type, at) => (type === boolean ? bytes[at] === 1 : undefined),

  integer({ view }, type, at) {
    if (type === int32) return BigInt(view.getInt32(at, true));
    if (type === int64) return view.getBigInt64(at, true);
    const value = type === double ? view.getFloat64(at, true) : Number.NaN;
    if (Number.isSafeInteger(value)) return BigInt(value);
    // Of larger ones JSON prints the shortest digits, which are not those of the double.
    return fitsInt64(value) ? BigInt(String(value)) : undefined;
  },

  number({ view }, type, at) {
    if (type === int32) return view.getInt32(at, true);
    // JSON prints -0 as 0.
    if (type === double) return view.getFloat64(at, true) + 0;
    const value = type === int64 ? view.getBigInt64(at, true) : undefined;
    return value !== undefined && fitsDouble(value) ? Number(value) : undefined;
  },
};
