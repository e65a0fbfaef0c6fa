import { readPayload } from '@sluice/bson/read-payload.ts';
import { maxNesting } from '@sluice/json/find-issues.ts';
import { fromName, toPointer } from '@sluice/json/pointer.ts';
import { isObject } from '@sluice/schemas/schema.ts';
import { ApiError, type ErrorDetail } from '@sluice/shared/errors.ts';
import type { SenderStore } from '@sluice/store/applications/senders.ts';
import type { Condition, MemberCondition } from '@sluice/store/entries/entry-filter.ts';
import Type from 'typebox';
import { Text } from './schemas.ts';

/** The filter of a query. */
export const QueryFilter = Text(
  'JSON: conditions on payloads, all of which must be met, such as ' +
    '`{"celsius":{"gte":20,"lt":30},"address.city":{"in":["Oslo","Bergen"]},"note":{"exists":false},"ok":true}`. ' +
    'Operators: `eq` (also a bare value), `ne`, `lt`, `lte`, `gt`, `gte`, `in`, `exists`, `contains` (text, in capital or small letters). Dots lead into nested ' +
    'objects; where a key has dots, write a JSON Pointer (`/a.b`). Numbers compare with numbers and strings with ' +
    'strings, by code point; only `ne` and `exists` match a missing member; arrays are not searched. ' +
    'At most 20 conditions, 100 values in `in`, 100 characters in `contains`, 4 KB.',
);

/** The filter of a body. `textOf` of the route turns an object into its JSON text. */
export const BodyFilter = Type.Unsafe<string>({
  title: 'EntryFilter',
  type: ['object', 'string'],
  description: 'Conditions on payloads, as in the list of entries: an object, or its JSON text.',
});

/** The conditions of `filter` and `key` together. */
export async function withKey(
  { ofKey }: Pick<SenderStore, 'ofKey'>,
  application: string,
  filter: Condition[] | undefined,
  key: string | undefined,
): Promise<Condition[] | undefined> {
  return key === undefined ? filter : [...(filter ?? []), { senders: await ofKey(application, key), key }];
}

export type Filter = { ok: true; conditions: MemberCondition[] } | { ok: false; details: ErrorDetail[] };

const maxBytes = 4_096;
const maxConditions = 20;
const maxValues = 100;
/** Of `contains`. A longer text could take seconds with one large entry, which no time limit ends. */
const maxTextLength = 100;

const isOrdered = (value: unknown) => ['string', 'number', 'bigint'].includes(typeof value);
const isScalar = (value: unknown) => value === null || typeof value === 'boolean' || isOrdered(value);

interface Rule {
  takes(value: unknown): boolean;
  says: string;
}

const scalar: Rule = { takes: isScalar, says: 'must be a string, a number, a boolean or null' };
const ordered: Rule = { takes: isOrdered, says: 'must be a number or a string' };
const operators = new Map<string, Rule>([
  ['eq', scalar],
  ['ne', scalar],
  ['lt', ordered],
  ['lte', ordered],
  ['gt', ordered],
  ['gte', ordered],
  [
    'in',
    {
      takes: (value) => Array.isArray(value) && value.length <= maxValues && value.every(isScalar),
      says: `must be an array of at most ${maxValues} strings, numbers, booleans or nulls`,
    },
  ],
  ['exists', { takes: (value) => typeof value === 'boolean', says: 'must be true or false' }],
  [
    'contains',
    {
      takes: (value) => typeof value === 'string' && value.length <= maxTextLength,
      says: `must be a string of at most ${maxTextLength} characters`,
    },
  ],
]);
const known = [...operators.keys()].join(', ');

/** The conditions of `filter` in a query or a body. Throws ApiError. */
export function toConditions(text: string, part: 'querystring' | 'body' = 'querystring'): Condition[] {
  const filter = readFilter(text);
  if (filter.ok) return filter.conditions;
  const where = filter.details.slice(0, 5).map(({ path, message }) => `\`${path.slice(1)}\` ${message}`);
  const details = filter.details.map((detail) => ({ ...detail, in: part }));
  throw new ApiError('InvalidRequestError', where.join('; '), { details });
}

export function readFilter(text: string): Filter {
  const refuse = (message: string, path: string[] = [], keyword = 'filter'): Filter => ({
    ok: false,
    details: [toDetail(toPointer(path), keyword, message)],
  });
  if (Buffer.byteLength(text) > maxBytes) return refuse(`must have at most ${maxBytes} bytes`);
  const reading = readPayload(Buffer.from(text));
  if (!reading.ok && reading.kind === 'inexact')
    return {
      ok: false,
      details: reading.issues.map((issue) => toDetail(issue.path, issue.keyword, issue.message)),
    };
  if (!reading.ok && reading.kind === 'forbidden')
    return refuse('the key __proto__ is not accepted', [], 'json');
  if (!reading.ok || !isObject(reading.payload))
    return refuse('must be a JSON object, such as {"celsius":{"gte":20}}', [], 'json');
  const parts = Object.entries(reading.payload).flatMap(([name, condition]) => split(name, condition));
  if (parts.length > maxConditions) return refuse(`must have at most ${maxConditions} conditions`);
  const read = parts.map(toCondition);
  const details = read.filter((one) => 'message' in one);
  return details.length > 0 ? { ok: false, details } : { ok: true, conditions: read as MemberCondition[] };
}

interface Clause {
  name: string;
  operator?: string;
  value: unknown;
}

/** One part for each operator; a bare value is short for `eq`. */
function split(name: string, condition: unknown): Clause[] {
  const operands = isObject(condition) ? Object.entries(condition) : [];
  if (operands.length === 0) return [{ name, value: condition }];
  return operands.map(([operator, value]) => ({ name, operator, value }));
}

/** The path of a field, which is named like its column or by a JSON Pointer; or what is wrong with the name. */
export function readField(name: string): { path: string[] } | { message: string } {
  if (name === 'createdAt')
    return { message: 'is the time of the entry: use from and to, or /createdAt for a member of that name' };
  if (name.includes('\0')) return { message: 'has the character NUL, which no payload has in a name' };
  const isPointer = name.startsWith('/');
  if (isPointer && /~(?![01])/.test(name))
    return { message: 'is not a JSON Pointer: ~ is written ~0, and / in a key ~1' };
  const path = fromName(name);
  if (path.length > maxNesting) return { message: `is deeper than the ${maxNesting} levels of a payload` };
  return { path };
}

function toCondition({ name, operator, value }: Clause): MemberCondition | ErrorDetail {
  const at = (path: string[], message: string) => toDetail(toPointer(path), 'filter', message);
  const field = readField(name);
  if ('message' in field) return at([name], field.message);
  const { path } = field;
  if (operator === undefined) {
    if (isScalar(value)) return { path, operator: 'eq', value } as MemberCondition;
    return at([name], `must be a string, a number, a boolean, null, or an object with some of ${known}`);
  }
  const rule = operators.get(operator);
  if (!rule) return at([name, operator], `is not an operator: there are ${known}`);
  if (!rule.takes(value)) return at([name, operator], rule.says);
  return { path, operator, value } as MemberCondition;
}

const toDetail = (path: string, keyword: string, message: string): ErrorDetail => ({
  in: 'querystring',
  path: `/filter${path}`,
  keyword,
  message,
});
