import { createBudget, type Spend } from './budget.ts';
import { createFormats } from './formats/formats.ts';
import { type LinearRegExp, linearRegExp } from './patterns/linear-regexp.ts';
import { createSharing } from './sharing.ts';

/** The engine keeps objects with more keys as hash tables, whose keys are slow to list. */
const fewKeys = 500;
/** About the cost of dividing two numbers with some hundred digits. */
const exactSteps = 100;

export type Runtime = ReturnType<typeof createRuntime>;

/** All that generated code may call. Functions that take longer for longer data spend steps for it. */
export function createRuntime(spend: Spend) {
  // A pattern that was used takes 12 KB, and many schemas have the same ones.
  const shared = createSharing<LinearRegExp>();
  return {
    spend,
    equal: createEqual(spend),
    findDuplicate: createFindDuplicate(spend),
    isMultiple: createIsMultiple(spend),
    formats: createFormats(spend),
    pattern: (source: string) => shared(source, () => linearRegExp(source, spend)),
    ucs2length(text: string): number {
      spend(1 + text.length / 2);
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
      spend(1 + key.length / 2);
      return key.replaceAll('~', '~0').replaceAll('/', '~1');
    },
  };
}

/** Validations run one after the other, so all share these: the engine keeps and optimises each function once. */
export const budget = createBudget();
export const runtime = createRuntime(budget.spend);

/** The length of a text in code points, which JSON Schema counts, not UTF-16 units. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800 || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue;
    count--;
    at++;
  }
  return count;
}

/** Deep equality of JSON values, whatever the order of keys. */
export function createEqual(spend: Spend): (a: unknown, b: unknown) => boolean {
  return equal;

  function equal(a: unknown, b: unknown): boolean {
    spend(2);
    if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) spend(a.length / 64);
    if (a === b) return true;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    if (Array.isArray(a) || Array.isArray(b))
      return Array.isArray(a) && Array.isArray(b) && equalArrays(a, b);
    return equalObjects(a as Record<string, unknown>, b as Record<string, unknown>);
  }

  function equalArrays(a: unknown[], b: unknown[]): boolean {
    return a.length === b.length && a.every((value, i) => equal(value, b[i]));
  }

  function equalObjects(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
    const keys = Object.keys(a);
    const others = Object.keys(b).length;
    spend((keys.length + others) * 4);
    return keys.length === others && keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]));
  }
}

/** Finds two equal items in linear time; Ajv's own keyword compares each item with each. */
export function createFindDuplicate(
  spend: Spend,
): (items: unknown[]) => { i: number; j: number } | undefined {
  return function findDuplicate(items) {
    const scalars = new Map<unknown, number>();
    const composites = new Map<string, number>();
    for (let j = 0; j < items.length; j++) {
      const item = items[j];
      const composite = typeof item === 'object' && item !== null;
      const seen: Map<unknown, number> = composite ? composites : scalars;
      const key = composite ? canonical(item) : item;
      spend(typeof key === 'string' ? 20 + key.length : 20);
      const i = seen.get(key);
      if (i !== undefined) return { i, j };
      seen.set(key, j);
    }
    return undefined;
  };

  /** The same text for equal JSON values, whatever the order of keys. */
  function canonical(value: unknown): string {
    spend(8);
    if (typeof value !== 'object' || value === null)
      return typeof value === 'bigint' ? String(value) : JSON.stringify(value === 0 ? 0 : value);
    if (Array.isArray(value)) return `[${value.map(canonical)}]`;
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    spend(entries.length * 30);
    return `{${entries.map(([key, child]) => `${JSON.stringify(key)}:${canonical(child)}`)}}`;
  }
}

type Numeric = number | bigint;

/** Divides the decimals that JSON writes: 19.99 is a multiple of 0.01, though dividing the doubles leaves a remainder. */
export function createIsMultiple(spend: Spend): (value: Numeric, divisor: Numeric) => boolean {
  return (value, divisor) => {
    if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor))
      return (value as number) % (divisor as number) === 0;
    spend(exactSteps);
    const [a, b] = [toDecimal(value), toDecimal(divisor)];
    const shared = Math.min(a.exponent, b.exponent);
    const scale = ({ digits, exponent }: typeof a) => digits * 10n ** BigInt(exponent - shared);
    return scale(a) % scale(b) === 0n;
  };
}

function toDecimal(value: Numeric) {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}
