import { parseExactJson, parseJson } from '@sluice/json/parse-json.ts';
import { fromPointer } from '@sluice/json/pointer.ts';

export type Schema = Record<string, unknown>;

/** Without these a text has no integer beyond 2^53. */
const mayBeLarge = /\d{16}|\d[eE]/;

/** Parses the text of a schema that was checked. */
export const parseSchema = (raw: string) =>
  (mayBeLarge.test(raw) ? parseExactJson(raw) : parseJson(raw)) as Schema;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a reference within a document; undefined if the reference is no pointer, such as an anchor. */
export function followReference(root: unknown, reference: unknown): unknown {
  if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) return undefined;
  let at = root;
  for (const key of fromPointer(decode(reference.slice(1)))) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Schema)[key];
  }
  return at;
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
