import { Binary, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'mongodb';

/** The order of MongoDB's types, of those that are in shard keys. */
function rankOf(value: unknown): number {
  if (value instanceof MinKey) return 0;
  if (value instanceof MaxKey) return 9;
  if (value === null || value === undefined) return 1;
  if (value instanceof Timestamp) return 8;
  if (isNumber(value)) return 2;
  if (typeof value === 'string') return 3;
  if (value instanceof Binary) return 5;
  if (value instanceof ObjectId) return 6;
  if (value instanceof Date) return 7;
  return 4;
}

const isNumber = (value: unknown) =>
  ['number', 'bigint'].includes(typeof value) ||
  value instanceof Long ||
  value instanceof Int32 ||
  value instanceof Double;

const toNumber = (value: unknown): number | bigint =>
  value instanceof Long ? value.toBigInt() : typeof value === 'bigint' ? value : Number(value);

const sign = <T extends number | bigint | string>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0);

/** Compares two values as MongoDB does: bytes by their length first. */
export function compareValues(a: unknown, b: unknown): number {
  const ranks = sign(rankOf(a), rankOf(b));
  if (ranks !== 0) return ranks;
  if (a instanceof Binary && b instanceof Binary)
    return sign(a.position, b.position) || Buffer.compare(a.value(), b.value());
  if (a instanceof ObjectId && b instanceof ObjectId) return sign(a.toHexString(), b.toHexString());
  if (a instanceof Date && b instanceof Date) return sign(a.getTime(), b.getTime());
  if (typeof a === 'string' && typeof b === 'string') return sign(a, b);
  return isNumber(a) ? sign(toNumber(a), toNumber(b)) : 0;
}

/** Compares two shard keys, field by field. */
export function compareKeys(a: unknown[], b: unknown[]): number {
  for (const [i, value] of a.entries()) {
    const order = compareValues(value, b[i]);
    if (order !== 0) return order;
  }
  return 0;
}
