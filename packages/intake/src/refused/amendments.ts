import type { ReplayOptions } from '@sluice/jobs/record/job-records.ts';
import { findRepeatedKeys } from '@sluice/json/find-issues.ts';
import { isJson, readTagged } from '@sluice/json/parse-json.ts';
import { fromPointer } from '@sluice/json/pointer.ts';
import { isObject } from '@sluice/schemas/schema.ts';
import type { Operation } from 'fast-json-patch';

const conversions = ['number', 'integer', 'boolean', 'string', 'trim'] as const;
type Conversion = (typeof conversions)[number];

/** Converts an existing value, or sets an absent one. Values are tagged as by `readTagged`. */
export type Coercion = { keys: string[]; to: Conversion } | { keys: string[]; value: unknown };

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

function toCoercion(item: unknown, path: string): Coercion {
  const refuse = refuserOf(path);
  if (!isObject(item)) return refuse('must be an object');
  const keys = toKeys(item.path, (message) => refuse(message, '/path'));
  if (Object.hasOwn(item, 'default')) return { keys, value: item.default };
  const to = untag(item.to) as Conversion;
  if (!conversions.includes(to)) return refuse(`must be one of ${conversions.join(', ')}`, '/to');
  return { keys, to };
}

/** Reads a JSON Patch (RFC 6902) and a list of coercions, both as JSON text. Throws AmendmentProblem. */
export function readAmendments({ patch, coerce }: Pick<ReplayOptions, 'patch' | 'coerce'>): Amendments {
  return {
    patch: itemsOf(patch, 'patch').map((item, at) => toOperation(item, `/patch/${at}`)),
    coerce: itemsOf(coerce, 'coerce').map((item, at) => toCoercion(item, `/coerce/${at}`)),
  };
}
