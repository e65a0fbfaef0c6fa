import { timingSafeEqual } from 'node:crypto';
import type { KeyHash, KeyStore } from '@sluice/store/applications/keys.ts';
import { LRUCache } from 'lru-cache';

/** A revoked key is never taken on knowledge older than this. */
const maxAgeMs = 500;

export type Keyring = ReturnType<typeof createKeyring>;

/** The hashes of keys of applications that need them, read from MongoDB at most every so often, and one read at a time. */
export function createKeyring(keys: Pick<KeyStore, 'hashes'>) {
  const cached = new LRUCache<string, KeyHash[]>({
    max: 5_000,
    ttl: maxAgeMs,
    // Who waits for a read whose keys are forgotten meanwhile gets them still.
    ignoreFetchAbort: true,
    async fetchMethod(id, _old, { options }) {
      const began = performance.now();
      const hashes = await keys.hashes(id);
      // Their age counts from when they were asked for.
      options.ttl = Math.max(1, maxAgeMs - (performance.now() - began));
      return hashes;
    },
  });

  return {
    /** Id of the application's key with this SHA-256; undefined when it has none. Rejects when MongoDB is away. */
    async idOf(application: string, hash: Buffer): Promise<string | undefined> {
      const known = find(await cached.fetch(application), hash);
      // It may be younger than what is known: the read that is awaited now began after this call.
      return known ?? find(await cached.fetch(application, { forceRefresh: true }), hash);
    },
    /** Its keys have changed. */
    forget: (id: string) => void cached.delete(id),
  };
}

/** Looks at all of them, so that the time tells nothing. */
function find(hashes: KeyHash[] | undefined, hash: Buffer): string | undefined {
  let found: string | undefined;
  for (const each of hashes ?? []) if (timingSafeEqual(each.hash, hash)) found = each.id;
  return found;
}
