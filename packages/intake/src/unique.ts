import { fromPointer } from '@sluice/json/pointer.ts';
import type { Unique } from '@sluice/store/applications/applications.ts';
import type { NewEntry } from '@sluice/store/entries/entries.ts';
import { hashUniqueValue, isUniqueValue } from '@sluice/store/entries/once.ts';

/** An application, and which member of its payloads is unique. */
export interface WithUnique {
  id: string;
  unique?: Unique | null | undefined;
}

const dayMs = 86_400_000;

/** The hash of the unique value of a payload. Undefined if the application names no member, or the payload has none. */
export function uniqueIn({ id, unique }: WithUnique, payload: Record<string, unknown>): Buffer | undefined {
  if (!unique) return undefined;
  let value: unknown = payload;
  for (const key of fromPointer(unique.path)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return isUniqueValue(value) ? hashUniqueValue(id, unique.path, value) : undefined;
}

/** What an entry is stored once by: the hash of its unique value, and that of its idempotency key. */
export function onceBy(
  { unique }: WithUnique,
  value: Buffer | undefined,
  key?: Buffer,
): Pick<NewEntry, 'once' | 'valueSince'> {
  if (!value || !unique) return { once: key && [key] };
  return {
    once: key ? [value, key] : [value],
    valueSince: unique.days ? Date.now() - unique.days * dayMs : 0,
  };
}
