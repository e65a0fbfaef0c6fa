import { spend } from './budget.ts';

/** Deep equality of JSON values, whatever the order of keys. */
export function equal(a: unknown, b: unknown): boolean {
  spend(2);
  if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) spend(a.length / 64);
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((value, i) => equal(value, b[i]))
    );
  return equalObjects(a as Record<string, unknown>, b as Record<string, unknown>);
}

function equalObjects(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  const keys = Object.keys(a);
  const others = Object.keys(b).length;
  spend((keys.length + others) * 4);
  return keys.length === others && keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]));
}

/** Finds two equal items in linear time; Ajv's own keyword compares each item with each. */
export function findDuplicate(items: unknown[]): { i: number; j: number } | undefined {
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
}

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
