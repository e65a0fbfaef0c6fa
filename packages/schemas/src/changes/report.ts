import { toPointer } from '@sluice/json/pointer.ts';
import { limits } from '../limits.ts';

/** `stricter`: refuses more payloads. `looser`: accepts more. The effect of the others depends on the payloads. */
export type ChangeKind = 'stricter' | 'looser' | 'added' | 'removed' | 'changed';

/** `path`: JSON Pointer into a payload. A change of an array's elements has the pointer of the array. */
export interface Change {
  path: string;
  kind: ChangeKind;
  message: string;
}

/** A place in payloads. `within`: words for the part below the pointer, such as `elements`. */
export interface ChangePlace {
  path: string[];
  within?: string;
}

export type Report = (place: ChangePlace, kind: ChangeKind, text: string) => void;
/** A report about one place. */
export type Tell = (kind: ChangeKind, text: string) => void;

const maxChanges = 200;

export function memberOf({ path, within }: ChangePlace, name: string): ChangePlace {
  return within === undefined
    ? { path: [...path, name] }
    : { path, within: `${within} ${toPointer([name])}` };
}

export function inside({ path, within }: ChangePlace, words: string): ChangePlace {
  return { path, within: within === undefined ? words : `${within}, ${words}` };
}

export class TooManyChanges extends Error {}

export function createReport(changes: Change[]): Report {
  return ({ path, within }, kind, text) => {
    if (changes.length === maxChanges) throw new TooManyChanges();
    const message = within === undefined ? text : `${within}: ${text}`;
    changes.push({ path: cut(toPointer(path)), kind, message: cut(message) });
  };
}

/** Cuts a value of a schema for a message. */
export const shownValue = (text: string) => cut(text, limits.shownText);

function cut(text: string, length: number = limits.shownPath): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
