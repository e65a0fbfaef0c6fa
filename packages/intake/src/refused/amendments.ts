import type { ReplayOptions } from '@sluice/jobs/record/job-records.ts';
import { findRepeatedKeys } from '@sluice/json/find-issues.ts';
import { isJson, readTagged } from '@sluice/json/parse-json.ts';
import { fromPointer } from '@sluice/json/pointer.ts';
import { type DateOrder, dateOrders, decimalMarks, type NumberStyle } from '@sluice/json/written-values.ts';
import { isObject } from '@sluice/schemas/schema.ts';
import type { Operation } from 'fast-json-patch';

const conversions = ['number', 'integer', 'boolean', 'string', 'trim', 'date'] as const;
const divisors = [10, 100, 1_000, 10_000, 100_000, 1_000_000];

/** Converts an existing value. Values are tagged as by `readTagged`. */
export type Conversion =
  | { to: Exclude<(typeof conversions)[number], 'date'> }
  | { to: 'number' | 'integer'; style: NumberStyle }
  | { to: 'date'; order: DateOrder }
  /** Divides a number by so many tens. */
  | { places: number }
  /** Replaces a value that equals another one, or removes it. */
  | { equals: unknown; becomes: unknown }
  | { equals: unknown; isRemoved: true };

/** Converts an existing value, or sets an absent one. */
export type Coercion = { keys: string[] } & (Conversion | { value: unknown });

/** Changes to refused uploads before they are validated again. */
export interface Amendments {
  patch: Operation[];
  coerce: Coercion[];
}

/** Limit of each list. */
export const maxOperations = 100;

export class AmendmentProblem extends Error {
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

const names = ['add', 'remove', 'replace', 'move', 'copy', 'test'];
const withValue = ['add', 'replace', 'test'];
const withFrom = ['move', 'copy'];

/** V8 does not treat it as an ordinary key. */
const forbidden = '__proto__';

/** The keys of a pointer, tagged. */
function toKeys(pointer: unknown, refuse: (message: string) => never): string[] {
  const text = untag(pointer);
  if (text === undefined || (text !== '' && !text.startsWith('/')))
    return refuse('must be a JSON Pointer, such as /address/city');
  const keys = fromPointer(text);
  return keys.includes(forbidden) ? refuse(`must not name ${forbidden}`) : keys;
}

const untag = (tagged: unknown): string | undefined =>
  typeof tagged === 'string' && tagged.startsWith('s') ? tagged.slice(1) : undefined;

function itemsOf(text: string | undefined, name: string): unknown[] {
  if (text === undefined) return [];
  const items = isJson(text) ? readTagged(text) : undefined;
  if (!Array.isArray(items)) throw new AmendmentProblem(`/${name}`, 'must be an array');
  if (items.length > maxOperations)
    throw new AmendmentProblem(`/${name}`, `must have at most ${maxOperations} items`);
  const repeated = findRepeatedKeys(text);
  if (repeated === 'forbidden') throw new AmendmentProblem(`/${name}`, `must not have the key ${forbidden}`);
  const [first] = repeated;
  if (first) throw new AmendmentProblem(`/${name}${first.path}`, first.message);
  return items;
}

function refuserOf(path: string) {
  return (message: string, member = ''): never => {
    throw new AmendmentProblem(`${path}${member}`, message);
  };
}

function toOperation(item: unknown, path: string): Operation {
  const refuse = refuserOf(path);
  if (!isObject(item)) return refuse('must be an object');
  const op = untag(item.op) ?? '';
  if (!names.includes(op)) return refuse(`must be one of ${names.join(', ')}`, '/op');
  toKeys(item.path, (message) => refuse(message, '/path'));
  const operation: Record<string, unknown> = { op, path: untag(item.path) };
  if (withValue.includes(op)) {
    if (!Object.hasOwn(item, 'value')) return refuse('is required', '/value');
    operation.value = item.value;
  }
  if (withFrom.includes(op)) {
    toKeys(item.from, (message) => refuse(message, '/from'));
    operation.from = untag(item.from);
  }
  return operation as unknown as Operation;
}

type Refuse = ReturnType<typeof refuserOf>;

function oneOf<Name extends string>(names: readonly Name[], tagged: unknown, refuse: () => never): Name {
  const name = untag(tagged);
  return names.find((each) => each === name) ?? refuse();
}

function toConversion(item: Record<string, unknown>, refuse: Refuse): Conversion {
  const mustBeOneOf = (names: readonly (string | number)[], member: string) => () =>
    refuse(`must be one of ${names.join(', ')}`, member);
  if (Object.hasOwn(item, 'if')) {
    if (Object.hasOwn(item, 'set')) return { equals: item.if, becomes: item.set };
    return item.remove === true
      ? { equals: item.if, isRemoved: true }
      : refuse('needs `set`, or `remove: true`');
  }
  if (Object.hasOwn(item, 'divide')) {
    const places = 1 + divisors.findIndex((each) => item.divide === `n${each}`);
    return places > 0 ? { places } : mustBeOneOf(divisors, '/divide')();
  }
  const to = oneOf(conversions, item.to, mustBeOneOf(conversions, '/to'));
  if (to === 'date') return { to, order: oneOf(dateOrders, item.order, mustBeOneOf(dateOrders, '/order')) };
  if ((to !== 'number' && to !== 'integer') || !Object.hasOwn(item, 'decimal')) return { to };
  const decimal = oneOf(decimalMarks, item.decimal, mustBeOneOf(decimalMarks, '/decimal'));
  return { to, style: { decimal, unit: untag(item.unit) } };
}

function toCoercion(item: unknown, path: string): Coercion {
  const refuse = refuserOf(path);
  if (!isObject(item)) return refuse('must be an object');
  const keys = toKeys(item.path, (message) => refuse(message, '/path'));
  if (Object.hasOwn(item, 'default')) return { keys, value: item.default };
  return { keys, ...toConversion(item, refuse) };
}

/** Reads a JSON Patch (RFC 6902) and a list of coercions, both as JSON text. Throws AmendmentProblem. */
export function readAmendments({ patch, coerce }: Pick<ReplayOptions, 'patch' | 'coerce'>): Amendments {
  return {
    patch: itemsOf(patch, 'patch').map((item, at) => toOperation(item, `/patch/${at}`)),
    coerce: itemsOf(coerce, 'coerce').map((item, at) => toCoercion(item, `/coerce/${at}`)),
  };
}
