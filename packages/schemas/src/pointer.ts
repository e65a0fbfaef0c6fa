import { fromPointer } from '@sluice/json/pointer.ts';
import { limits } from './limits.ts';

export function append(pointer: string, key: string | number): string {
  return `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** A JSON Pointer for a message: the root is named, long ones are cut. */
export function shown(pointer: string): string {
  if (pointer === '') return 'the root';
  return pointer.length <= limits.shownPath ? pointer : `${pointer.slice(0, limits.shownPath - 1)}…`;
}

/** The value that a reference within a document leads to; undefined for one that is no pointer, such as an anchor. */
export function followReference(root: unknown, reference: unknown): unknown {
  if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) return undefined;
  let at = root;
  for (const key of fromPointer(decode(reference.slice(1)))) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
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
