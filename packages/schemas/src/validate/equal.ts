import type { Spend } from './budget.ts';

const charactersAStep = 64;

/** Deep equality of JSON values; key order does not count. */
export function createEqual(spend: Spend): (a: unknown, b: unknown) => boolean {
  return equal;

  function equal(a: unknown, b: unknown): boolean {
    spend(2);
    if (typeof a === 'string' && typeof b === 'string' && a.length === b.length)
      spend(a.length / charactersAStep);
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
