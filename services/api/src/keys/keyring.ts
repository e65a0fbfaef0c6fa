import { timingSafeEqual } from 'node:crypto';
import type { KeyStore } from '@sluice/store/applications/keys.ts';
import { LRUCache } from 'lru-cache';

/** A revoked key is never taken on knowledge older than this. */
const maxAgeMs = 500;

export interface Keyring {
  /** Whether the application has a key with this SHA-256. Rejects when MongoDB is away. */
  has(applicationId: string, hash: Buffer): Promise<boolean>;
  /** Its keys have changed: what is held of them is old. */
  forget(applicationId: string): void;
}

/** The hashes of keys of applications that need them, read from MongoDB at most every so often. */
export function createKeyring(keys: Pick<KeyStore, 'hashes'>): Keyring {
  // Their age counts from when they were asked for: what is under way is shared like what has come.
  const held = new LRUCache<string, Promise<Buffer[]>>({ max: 5_000, ttl: maxAgeMs });
  /** Reads that have not begun. */
  const waiting = new Map<string, Promise<Buffer[]>>();

  function read(id: string): Promise<Buffer[]> {
    const reading = keys.hashes(id);
    held.set(id, reading);
    reading.catch(() => {
      if (held.peek(id) === reading) held.delete(id);
    });
    return reading;
  }

  /** Read after this call, and one at a time however many ask. */
  function readAnew(id: string): Promise<Buffer[]> {
    const already = waiting.get(id);
    if (already) return already;
    const before = held.peek(id, { allowStale: true }) ?? Promise.resolve();
    const next = before
      .catch(() => undefined)
      .then(() => {
        waiting.delete(id);
        return read(id);
      });
    waiting.set(id, next);
    return next;
  }

  return {
    async has(id, hash) {
      const known = held.get(id);
      if (known && includes(await known, hash)) return true;
      // It may be younger than what is known.
      return includes(await readAnew(id), hash);
    },
    forget: (id) => void held.delete(id),
  };
}

/** Looks at all of them, so that the time tells nothing. */
function includes(hashes: Buffer[], hash: Buffer): boolean {
  let found = false;
  for (const each of hashes) if (timingSafeEqual(each, hash)) found = true;
  return found;
}
