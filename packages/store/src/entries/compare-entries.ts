import { createHash } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import { canonicalJson } from '@sluice/json/canonical-json.ts';
import { toJson } from '@sluice/json/numbers.ts';
import type { Binary, ClientSession, Collection } from 'mongodb';
import { type EntryDocument, hashesIn, type Prepared } from './entry-document.ts';
import { timeOfKey } from './entry-id.ts';
import { findKeys } from './near-keys.ts';

/**
 * `stored`: durable now. `unconfirmed`: may be stored or not. `refused`: MongoDB refused it.
 *
 * The others: earlier an entry with the same hash was stored. `repeated`: it has the same payload. `conflicting`: it has another payload, and the
 * same key. `duplicate`: it has another payload, and the same unique value.
 */
export type Outcome = 'stored' | 'repeated' | 'conflicting' | 'duplicate' | 'unconfirmed' | 'refused';

export interface Before {
  outcome: Extract<Outcome, 'repeated' | 'conflicting' | 'duplicate'>;
  key: Binary;
}

/** `key`: where it is, or `once`: with which hashes. */
export type Comparable = Pick<Prepared, 'once' | 'valueSince' | 'sent' | 'json'> & { key?: Binary };

interface Looking<E> {
  session?: ClientSession | undefined;
  /** Gets the entries whose values only entries have that are too old for them, with these. */
  expired?: Map<E, Binary>;
}

/** Other work of the process runs after this time. */
const stepMs = 5;

/** The hash of the unique value, if there is one. */
export const valueIn = ({ once, valueSince }: Comparable): Buffer | undefined =>
  valueSince === undefined ? undefined : once?.[0];

/** Whether an entry is too old to have a unique value. */
export const isExpired = ({ valueSince = 0 }: Comparable, holder: Binary): boolean =>
  timeOfKey(holder) < valueSince;

export type Compare = ReturnType<typeof createCompare>;

export function createCompare(entries: Collection<EntryDocument>) {
  /** Reads one by one from the cursor: a stored entry may be larger than the new one. */
  async function* slowly(found: AsyncIterable<EntryDocument>) {
    let began = performance.now();
    for await (const stored of found) {
      yield stored;
      if (performance.now() - began < stepMs) continue;
      await breathe();
      began = performance.now();
    }
  }

  /** Finds the entries that are stored with the same key or with one of the hashes, and compares the payloads. */
  return async function compare<E extends Comparable>(
    batch: E[],
    fields: ('_id' | 'once')[],
    { session, expired }: Looking<E> = {},
  ): Promise<Map<E, Before>> {
    const before = new Map<E, Before>();
    const options = { useBigInt64: true, ...(session && { session }) };
    if (fields.includes('_id')) {
      const byKey = Map.groupBy(
        batch.filter(({ key }) => key),
        ({ key }) => key?.toString('hex'),
      );
      const keys = batch.flatMap(({ key }) => key ?? []);
      for await (const stored of slowly(findKeys(entries, keys, options)))
        for (const entry of byKey.get(stored._id.toString('hex')) ?? [])
          before.set(entry, { outcome: outcomeOf(stored, entry), key: stored._id });
    }
    const others = fields.includes('once') ? batch.filter((entry) => !before.has(entry)) : [];
    const hashes = others.flatMap((entry) => (entry.once ?? []).map((hash) => ({ entry, hash })));
    if (hashes.length === 0) return before;
    const byHash = Map.groupBy(hashes, ({ hash }) => hash.toString('hex'));
    const byIdempotencyKey = new Set<E>();
    const withHash: object = { once: { $in: hashes.map(({ hash }) => hash) } };
    for await (const stored of slowly(entries.find(withHash, { ...options, hint: 'once_1' }))) {
      const names = hashesIn(stored);
      const same = names.flatMap((name) => byHash.get(name) ?? []).map(({ entry }) => entry);
      for (const entry of new Set(same)) {
        const value = valueIn(entry);
        const hasKey = entry.once?.some((hash) => hash !== value && names.includes(hash.toString('hex')));
        // Two entries can have one hash each: then the one with the key decides.
        if (hasKey) byIdempotencyKey.add(entry);
        else if (isExpired(entry, stored._id)) {
          expired?.set(entry, stored._id);
          continue;
        } else if (byIdempotencyKey.has(entry)) continue;
        before.set(entry, { outcome: outcomeOf(stored, entry), key: stored._id });
      }
    }
    for (const entry of before.keys()) expired?.delete(entry);
    return before;
  };
}

/** 16 bytes, the same for equal JSON values. What has no canonical text is equal only to the same bytes. */
export function sentHash(json: Buffer): Buffer {
  return createHash('sha256')
    .update(canonicalJson(json) ?? json)
    .digest()
    .subarray(0, 16);
}

function outcomeOf(stored: EntryDocument, entry: Comparable): Before['outcome'] {
  if (isSame(stored, entry)) return 'repeated';
  const value = valueIn(entry)?.toString('hex');
  return value !== undefined && hashesIn(stored).includes(value) ? 'duplicate' : 'conflicting';
}

/** Whether two payloads are the same upload. Of a replayed one, either the sent or the changed payload may be equal. */
function isSame({ payload, sent }: EntryDocument, entry: Comparable): boolean {
  const json = Buffer.from(toJson(payload));
  // Most repetitions are. A canonical text takes ten times as long.
  if (entry.json.equals(json)) return true;
  const hashes = [sentHash(entry.json), ...(entry.sent ? [Buffer.from(entry.sent.buffer)] : [])];
  const isAny = (other: Uint8Array) => hashes.some((hash) => hash.equals(other));
  return (sent !== undefined && isAny(sent.buffer)) || isAny(sentHash(json));
}
