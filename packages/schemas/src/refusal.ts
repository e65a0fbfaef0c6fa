import { toPointer } from '@sluice/json/pointer.ts';
import { limits } from './limits.ts';

/**
 * Why a schema is refused, and where, with a JSON Pointer into the schema.
 * The message of a pattern completes "the pattern …" until its place is known; then `advice` follows.
 */
export class Refused extends Error {
  readonly advice: string;

  constructor(message: string, advice = '') {
    super(message);
    this.advice = advice && `; ${advice}`;
  }
}

export const append = (pointer: string, key: string): string => pointer + toPointer([key]);

/** A JSON Pointer for a message: the root has a name, and long pointers are cut. */
export function shown(pointer: string): string {
  if (pointer === '') return 'the root';
  return pointer.length <= limits.shownPath ? pointer : `${pointer.slice(0, limits.shownPath - 1)}…`;
}
