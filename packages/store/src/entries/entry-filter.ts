import { printed } from '@sluice/json/numbers.ts';
import { parseExactJson } from '@sluice/json/parse-json.ts';
import { toPointer } from '@sluice/json/pointer.ts';
import type { Document } from 'mongodb';
import type { Period } from './entry-range.ts';

/** A BigInt is an integer beyond 2^53. */
export type Scalar = string | number | bigint | boolean | null;

/** A condition on one member of a payload, or the numbers of all senders with an ingest key, by its id. */
export type Condition = MemberCondition | { senders: number[]; key: string };

export type MemberCondition = { path: string[] } & (
  | { operator: 'eq' | 'ne'; value: Scalar }
  | { operator: 'lt' | 'lte' | 'gt' | 'gte'; value: number | bigint | string }
  | { operator: 'in'; value: Scalar[] }
  | { operator: 'exists'; value: boolean }
  | { operator: 'contains'; value: string }
);

/** A filtered read took longer than it may. */
export class FilterTimeout extends Error {
  readonly limitMs: number;

  constructor(limitMs: number, cause: unknown) {
    super(`a filtered read took longer than ${limitMs} ms`, { cause });
    this.limitMs = limitMs;
  }
}

/** A query for entries that meet all conditions. Combine it by `$and`. Keys and values come from users: each is a literal. */
export function toQuery(conditions: Condition[]): Document {
  const queries = conditions.map((one) => {
    if ('senders' in one) return { by: { $in: one.senders } };
    return isPlain(one.path) ? toPlainQuery(one) : { $expr: toExpression(one) };
  });
  return queries.length > 0 ? { $and: queries } : {};
}

/** JSON.stringify prints no BigInt. */
const printLarge = (_key: string, value: unknown) => (typeof value === 'bigint' ? printed(value) : value);

/** Conditions as a record keeps them: of a number in BSON the driver would read only the first 53 bits. */
export const toText = (conditions: Condition[]): string => JSON.stringify(conditions, printLarge);

/** The reverse of `toText`. */
export const fromText = (text: string): Condition[] => parseExactJson(text) as Condition[];

/** Member conditions as the API takes them: the JSON text of a filter. A path that has a condition twice was named in two ways. */
export function toFilterText(conditions: MemberCondition[]): string {
  const filter = new Map<string, Map<string, unknown>>();
  for (const { path, operator, value } of conditions) {
    const pointer = toPointer(path);
    const name = filter.get(pointer)?.has(operator) ? path.join('.') : pointer;
    filter.set(name, new Map(filter.get(name)).set(operator, value));
  }
  return JSON.stringify(filter, (key, value) =>
    value instanceof Map ? Object.fromEntries(value) : printLarge(key, value),
  );
}

/** Which entries the options of a job select. */
export const selectionOf = ({ from, to, filter }: Period & { filter?: string | undefined }) => ({
  from,
  to,
  filter: filter === undefined ? undefined : fromText(filter),
});

/** The filter as an aggregation expression, in which a key may have any name. */
export const allOf = (conditions: Condition[]): Document => ({ $and: conditions.map(toExpression) });

/** Whether MongoDB's query language takes these keys as they are. */
export const isPlain = (path: string[]) => path.every((key) => /^[^$.\0][^.\0]*$/.test(key));

/** MongoDB tests this twice as fast as an expression. */
function toPlainQuery({ path, operator, value }: MemberCondition): Document {
  const names = path.map((_, i) => ['payload', ...path.slice(0, i + 1)].join('.'));
  const name = names.at(-1) as string;
  // MongoDB would look into them.
  const noArrays = (among: string[]) => among.map((one) => ({ [one]: { $not: { $type: 'array' } } }));
  const exists = { [name]: { $exists: true } };
  // MongoDB takes a missing field for null.
  const mayBeMissing = value === null || (Array.isArray(value) && value.includes(null));
  const is = (test: Document) => ({
    $and: [{ [name]: test }, ...(mayBeMissing ? [exists] : []), ...noArrays(names)],
  });
  switch (operator) {
    case 'ne':
      return { $nor: [is({ $eq: value })] };
    case 'exists': {
      const isThere = [exists, ...noArrays(names.slice(0, -1))];
      return value ? { $and: isThere } : { $nor: [{ $and: isThere }] };
    }
    case 'contains':
      return is(literally(value));
    default:
      return is({ [`$${operator}`]: value });
  }
}

/** Each step binds `v` anew, to the member of what it was. */
function toExpression(one: Condition): Document {
  if ('senders' in one) return { $in: ['$by', one.senders] };
  const { path, ...condition } = one;
  const expression = path.reduceRight<Document>(
    (inner, key) => ({ $let: { vars: { v: memberOf(key) }, in: inner } }),
    test(condition),
  );
  return { $let: { vars: { v: '$payload' }, in: expression } };
}

// Of null, $getField would be null, not missing.
const memberOf = (key: string): Document => ({
  $cond: [
    { $eq: [{ $type: '$$v' }, 'object'] },
    { $getField: { field: { $literal: key }, input: '$$v' } },
    '$$REMOVE',
  ],
});

function test({ operator, value }: Pick<MemberCondition, 'operator' | 'value'>): Document {
  const compared = ['$$v', { $literal: value }];
  switch (operator) {
    case 'eq':
    case 'ne':
    case 'in':
      return { [`$${operator}`]: compared };
    case 'exists':
      return { [value ? '$ne' : '$eq']: [{ $type: '$$v' }, 'missing'] };
    case 'contains': {
      const { $regex: regex, $options: options } = literally(value as string);
      // Of another type than text, $regexMatch would fail.
      return { $cond: [isOfType('string'), { $regexMatch: { input: '$$v', regex, options } }, false] };
    }
    default:
      // MongoDB has an order across types; JSON has none.
      return { $and: [isOfType(typeof value), { [`$${operator}`]: compared }] };
  }
}

/** Finds a text as it is written, in capital or small letters. */
const literally = (text: string) => ({ $regex: escaped(text), $options: 'i' });

/** A regular expression that matches a text alone. */
export const escaped = (text: string): string =>
  text.replaceAll(/[\\^$.|?*+()[\]{}]/g, '\\$&').replaceAll('\0', '\\x00');

const isOfType = (type: string): Document =>
  type === 'string' ? { $eq: [{ $type: '$$v' }, 'string'] } : { $isNumber: '$$v' };
