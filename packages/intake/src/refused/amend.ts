import { canonicalText } from '@sluice/json/canonical-json.ts';
import { findRepeatedKeys } from '@sluice/json/find-issues.ts';
import { readTagged, writeTagged } from '@sluice/json/parse-json.ts';
import { fromPointer } from '@sluice/json/pointer.ts';
import jsonPatch, { type Operation } from 'fast-json-patch';
import type { Amendments, Coercion } from './amendments.ts';
import { convert, removed } from './convert.ts';

/** Limit of a payload, which repeated copies could double each time. */
const mostCharacters = 1024 ** 2;

export type Amended = { ok: true; json: string } | { ok: false; message: string };

class Inapplicable extends Error {}

type Container = Record<string, unknown> | unknown[];

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;
const index = /^(0|[1-9]\d*)$/;

/** Inherited members are not part of a payload. */
function has(container: Container, key: string): boolean {
  return Array.isArray(container)
    ? index.test(key) && Number(key) < container.length
    : Object.hasOwn(container, key);
}

/** The object or array of the last key; undefined if it is missing. */
function parentOf(root: unknown, keys: string[]): Container | undefined {
  let value = root;
  for (const key of keys.slice(0, -1)) {
    if (!isContainer(value) || !has(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return isContainer(value) ? value : undefined;
}

function isThere(root: unknown, keys: string[]): boolean {
  const parent = parentOf(root, keys);
  return keys.length === 0 || (parent !== undefined && has(parent, keys.at(-1) as string));
}

function canAdd(root: unknown, keys: string[]): boolean {
  if (keys.length === 0) return true;
  const parent = parentOf(root, keys);
  const last = keys.at(-1) as string;
  if (!parent || !Array.isArray(parent)) return parent !== undefined;
  return last === '-' || (index.test(last) && Number(last) <= parent.length);
}

/** Needed as the library also finds inherited members. Throws Inapplicable. */
function check(root: unknown, operation: Operation): void {
  const { op, path } = operation;
  const keys = fromPointer(path);
  if ('from' in operation && !isThere(root, fromPointer(operation.from)))
    throw new Inapplicable(`there is nothing at ${operation.from}`);
  if (op === 'move' && `${path}/`.startsWith(`${operation.from}/`) && path !== operation.from)
    throw new Inapplicable(`${operation.from} cannot be moved into itself`);
  const isAdding = op === 'add' || op === 'move' || op === 'copy';
  if (isAdding ? !canAdd(root, keys) : !isThere(root, keys))
    throw new Inapplicable(`there is nothing at ${path}`);
}

/** Compares numbers by their value (RFC 6902, 4.6), not by their text. */
function expectEqual(root: unknown, path: string, expected: unknown): void {
  if (canonicalText(jsonPatch.getValueByPointer(root, path)) !== canonicalText(expected))
    throw new Inapplicable(`the value at ${path} is another one`);
}

function applyPatch(root: unknown, patch: Operation[]): unknown {
  let value = root;
  for (const operation of patch) {
    check(value, operation);
    if (operation.op === 'test') expectEqual(value, operation.path, operation.value);
    else value = jsonPatch.applyOperation(value, structuredClone(operation)).newDocument;
    if (operation.op === 'copy' && writeTagged(value).length > mostCharacters)
      throw new Inapplicable('the patch makes the payload too large');
  }
  return value;
}

/** Does not change payloads without the value or a place for it. */
function applyCoercion(root: unknown, { keys, ...coercion }: Coercion): void {
  const parent = parentOf(root, keys) as Record<string, unknown> | undefined;
  const last = keys.at(-1);
  if (!parent || last === undefined) return;
  if ('value' in coercion) {
    if (!has(parent, last) && canAdd(root, keys)) parent[last] = structuredClone(coercion.value);
    return;
  }
  if (!has(parent, last)) return;
  const converted = convert(parent[last], coercion);
  if (converted !== removed) parent[last] = converted;
  else if (!Array.isArray(parent)) delete parent[last];
}

export function amendRefused(
  { payload, truncated }: { payload: string; truncated: boolean },
  amendments: Amendments,
): Amended {
  return truncated ? { ok: false, message: 'the payload is cut off' } : amend(payload, amendments);
}

/** Changes a payload, given as JSON text. */
export function amend(json: string, { patch, coerce }: Amendments): Amended {
  if (patch.length === 0 && coerce.length === 0) return { ok: true, json };
  const repeated = findRepeatedKeys(json);
  // Only one member of each key would remain.
  if (repeated === 'forbidden' || repeated.length > 0)
    return { ok: false, message: 'a payload with such keys cannot be changed' };
  try {
    const value = applyPatch(readTagged(json), patch);
    for (const coercion of coerce) applyCoercion(value, coercion);
    return { ok: true, json: writeTagged(value) };
  } catch (error) {
    if (error instanceof Inapplicable) return { ok: false, message: error.message };
    if (error instanceof RangeError) return { ok: false, message: 'the payload is nested too deeply' };
    throw error;
  }
}
