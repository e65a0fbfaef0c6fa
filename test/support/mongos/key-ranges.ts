import { createHash } from 'node:crypto';
import { BSON, type Document, Long, MaxKey, MinKey } from 'mongodb';
import { compareValues } from './bson-order.ts';

/** The fields of a shard key, in their order. */
export type ShardKey = Record<string, 1 | 'hashed'>;

interface Interval {
  low: unknown;
  high: unknown;
}

/** A range of shard keys, both ends included. */
export interface KeyRange {
  min: unknown[];
  max: unknown[];
}

const everything: Interval = { low: new MinKey(), high: new MaxKey() };
const point = (value: unknown): Interval => ({ low: value, high: value });
const higher = (a: unknown, b: unknown) => (compareValues(a, b) >= 0 ? a : b);
const lower = (a: unknown, b: unknown) => (compareValues(a, b) <= 0 ? a : b);

const intersect = (some: Interval[], others: Interval[]): Interval[] =>
  some.flatMap((one) =>
    others.flatMap((other) => {
      const both = { low: higher(one.low, other.low), high: lower(one.high, other.high) };
      return compareValues(both.low, both.high) <= 0 ? [both] : [];
    }),
  );

const isOperators = (value: unknown): value is Document =>
  typeof value === 'object' &&
  value !== null &&
  !('_bsontype' in value) &&
  Object.keys(value).some((name) => name.startsWith('$'));

function ofOperator(name: string, value: unknown): Interval[] {
  if (name === '$eq') return [point(value)];
  if (name === '$in') return (value as unknown[]).map(point);
  if (name === '$gt' || name === '$gte') return [{ ...everything, low: value }];
  if (name === '$lt' || name === '$lte') return [{ ...everything, high: value }];
  return [everything];
}

function ofCondition(condition: unknown): Interval[] {
  if (!isOperators(condition)) return [point(condition)];
  return Object.entries(condition).reduce(
    (found, [name, value]) => intersect(found, ofOperator(name, value)),
    [everything],
  );
}

/** Where the values of a field lie that a filter finds. */
function intervalsOf(filter: Document, field: string): Interval[] {
  let found = [everything];
  for (const [name, value] of Object.entries(filter)) {
    if (name === '$and') for (const each of value) found = intersect(found, intervalsOf(each, field));
    else if (name === '$or')
      found = intersect(
        found,
        (value as Document[]).flatMap((each) => intervalsOf(each, field)),
      );
    else if (name === field) found = intersect(found, ofCondition(value));
  }
  return found;
}

const isPoint = ({ low, high }: Interval) => compareValues(low, high) === 0;

/** Not MongoDB's own hash: what counts is that equal values have the same. */
export const hashOf = (value: unknown): Long =>
  Long.fromBigInt(createHash('md5').update(BSON.serialize({ value })).digest().readBigInt64LE());

const hashed = (found: Interval[]): Interval[] =>
  found.map((each) => (isPoint(each) ? point(hashOf(each.low)) : everything));

/** The ranges of shard keys that a filter can find. */
export const rangesOf = (filter: Document, key: ShardKey): KeyRange[] =>
  Object.entries(key).reduce<KeyRange[]>(
    (ranges, [field, kind]) => {
      const found = intervalsOf(filter, field);
      return ranges.flatMap(({ min, max }) =>
        (kind === 'hashed' ? hashed(found) : found).map(({ low, high }) => ({
          min: [...min, low],
          max: [...max, high],
        })),
      );
    },
    [{ min: [], max: [] }],
  );

/** Whether the ranges are bounded: else every shard is asked, however many there are. */
export const areNamed = (ranges: KeyRange[]): boolean =>
  ranges.every(({ min: [low], max: [high] }) => !(low instanceof MinKey) && !(high instanceof MaxKey));

/** Whether a filter says exactly one shard key. */
export const namesOneKey = (filter: Document, key: ShardKey): boolean =>
  Object.keys(key).every((field) => {
    const found = intervalsOf(filter, field);
    return found.length === 1 && isPoint(found[0] as Interval);
  });
