import { createHash } from 'node:crypto';
import { canonicalJson } from '@sluice/json/canonical-json.ts';
import { toJson } from '@sluice/json/numbers.ts';
import type { Binary, ClientSession, Collection } from 'mongodb';
import type { EntryDocument, Prepared } from './entry-document.ts';

/**
 * `stored`: durable now. `unconfirmed`: may be stored or not. `refused`: MongoDB refused it.
 *
 * Earlier an entry with the same `idempotencyHash` was stored, with the same payload (`repeated`) or another (`conflicting`).
 */
export type Outcome = 'stored' | 'repeated' | 'conflicting' | 'unconfirmed' | 'refused';

export interface Before {
  outcome: Extract<Outcome, 'repeated' | 'conflicting'>;
  key: Binary;
}

/** `key`: where it is, or `idempotencyHash`: with which it is. */
export type Comparable = Pick<Prepared, 'idempotencyHash' | 'sent' | 'json'> & { key?: Binary };

export function createCompare(entries: Collection<EntryDocument>) {
  /**
   * Finds the entries that are stored with the same key or `idempotencyHash`, and compares the payloads. Reads one by one from the cursor: a stored
   * entry may be larger than the new one.
   */
  return async function compare<E extends Comparable>(
    batch: E[],
    fields: ('_id' | 'once')[],
    session?: ClientSession,
  ): Promise<Map<E, Before>> {
    const before = new Map<E, Before>();
    for (const field of fields) {
      const keyOf = ({ idempotencyHash, key }: Comparable) => (field === 'once' ? idempotencyHash : key);
      const mine = batch.filter((entry) => keyOf(entry) && !before.has(entry));
      if (mine.length === 0) continue;
      const byKey = Map.groupBy(mine, (entry) => keyOf(entry)?.toString('hex'));
      const same = { [field]: { $in: mine.map(keyOf) } };
      const options = {
        useBigInt64: true,
        ...(field === 'once' && { hint: 'once_1' }),
        ...(session && { session }),
      };
      for await (const found of entries.find(same, options))
        for (const entry of byKey.get(found[field]?.toString('hex')) ?? [])
          before.set(entry, {
            outcome: isSame(found, entry) ? 'repeated' : 'conflicting',
            key: found._id,
          });
    }
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

/** Whether two payloads are the same upload. Of a replayed one, either the sent or the changed payload may be equal. */
function isSame({ payload, sent }: EntryDocument, entry: Comparable): boolean {
  const hashes = [sentHash(entry.json), ...(entry.sent ? [Buffer.from(entry.sent.buffer)] : [])];
  const isAny = (other: Uint8Array) => hashes.some((hash) => hash.equals(other));
  return (sent !== undefined && isAny(sent.buffer)) || isAny(sentHash(Buffer.from(toJson(payload))));
}
