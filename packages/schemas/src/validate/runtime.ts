import type { Spend } from './budget.ts';
import { createEqual } from './equal.ts';
import { createFormats } from './formats.ts';
import { linearRegExp } from './linear-regexp.ts';
import { createIsMultiple } from './multiple.ts';
import { createFindDuplicate } from './unique.ts';

const charactersAStep = 2;

/** Objects with more keys than this are hash tables to the engine, and their keys dear. */
const fewKeys = 500;

/** What generated code may call, and nothing else. Whatever takes longer for longer data is paid for. */
export function createRuntime(spend: Spend) {
  return {
    spend,
    equal: createEqual(spend),
    findDuplicate: createFindDuplicate(spend),
    isMultiple: createIsMultiple(spend),
    formats: createFormats(spend),
    pattern: (source: string) => linearRegExp(source, spend),
    ucs2length(text: string): number {
      spend(1 + text.length / charactersAStep);
      return codePoints(text);
    },
    keys(object: object): string[] {
      const keys = Object.keys(object);
      spend(2 + keys.length * (keys.length > fewKeys ? 20 : 2));
      return keys;
    },
    assign(target: object, source: object): object {
      spend(1 + Object.keys(source).length * 8);
      return Object.assign(target, source);
    },
    concat<T>(list: T[], more: T[]): T[] {
      spend(1 + (list.length + more.length) / 4);
      return list.concat(more);
    },
    escape(key: string): string {
      spend(1 + key.length / charactersAStep);
      return key.replaceAll('~', '~0').replaceAll('/', '~1');
    },
  };
}

export type Runtime = ReturnType<typeof createRuntime>;

/** Characters as JSON Schema counts them: code points, not UTF-16 units. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800 || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue;
    count--;
    at++;
  }
  return count;
}
