import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@sluice/shared/errors.ts';
import type { KeyHash, KeyStore, MadeKey } from '@sluice/store/applications/keys.ts';
import { LRUCache } from 'lru-cache';
import type { MayUpload } from '../accounts/may-upload.ts';
import { personalMark } from '../accounts/personal-tokens.ts';
import type { CachedApplication } from '../applications/cache.ts';

/** Distinguishes keys from other bearer tokens, also for secret scanners. */
export const keyMark = 'sk_';
const shownLength = keyMark.length + 8;
/** A revoked key is never accepted because of older knowledge. */
const maxAgeMs = 500;
const bearer = /^bearer +(.*)$/i;
/** Every JSON Web Token begins so: `{"` in Base64. */
const tokenStart = 'eyJ';

export type Keyring = ReturnType<typeof createKeyring>;

/** The hashes of ingest keys, by application. Concurrent uploads share one read from MongoDB. */
export function createKeyring(keys: Pick<KeyStore, 'hashes'>, mayUpload: MayUpload) {
  const cached = new LRUCache<string, KeyHash[]>({
    max: 5_000,
    ttl: maxAgeMs,
    // `forget` must not fail the uploads that wait for a read.
    ignoreFetchAbort: true,
    async fetchMethod(id, _old, { options }) {
      const began = performance.now();
      const hashes = await keys.hashes(id);
      // The age counts from the begin of the read.
      options.ttl = Math.max(1, maxAgeMs - (performance.now() - began));
      return hashes;
    },
  });

  async function idOf(application: string, hash: Buffer): Promise<string | undefined> {
    const known = find(await cached.fetch(application), hash);
    // The key may be newer than the cached hashes.
    return known ?? find(await cached.fetch(application, { forceRefresh: true }), hash);
  }

  return {
    /** Resolves with the id of the sent ingest key. Throws ApiError without a valid one. Rejects while MongoDB is away. */
    async admit(
      { id, domain, ownerIsDisabled }: Pick<CachedApplication, 'id' | 'domain' | 'ownerIsDisabled'>,
      headers: IncomingHttpHeaders,
    ): Promise<string> {
      if (ownerIsDisabled) throw forbidden(`the owner of ${domain} is disabled`);
      const key = sentKey(headers);
      if (key.startsWith(personalMark)) {
        const token = await mayUpload(key, domain);
        if (token) return token;
        throw forbidden(
          `this personal token cannot upload to ${domain}: it needs the scope upload, and you the role of an editor`,
        );
      }
      if (!key.startsWith(keyMark)) {
        const then = key.startsWith(tokenStart)
          ? `a login token is not one; create one with POST /api/applications/${domain}/keys`
          : `send it as X-Api-Key: ${keyMark}… or Authorization: Bearer ${keyMark}…`;
        throw forbidden(`an ingest key is required to upload to ${domain}: ${then}`);
      }
      const found = await idOf(id, hashOf(key));
      if (found === undefined)
        throw forbidden(`this is not a valid ingest key of ${domain}: it may have been rotated or revoked`);
      return found;
    },

    /** Call when the keys of an application have changed. */
    forget: (id: string) => void cached.delete(id),
  };
}

function sentKey({ 'x-api-key': given, authorization = '' }: IncomingHttpHeaders): string {
  return String(given || (bearer.exec(authorization)?.[1] ?? ''));
}

/** Compares with every hash, so that the time does not tell which one matches. */
function find(hashes: KeyHash[] | undefined, hash: Buffer): string | undefined {
  let found: string | undefined;
  for (const each of hashes ?? []) if (timingSafeEqual(each.hash, hash)) found = each.id;
  return found;
}

const forbidden = (message: string) => new ApiError('ForbiddenRequestError', message);

/** A new ingest key. Its prefix and its hash may be stored. */
export function makeKey(): MadeKey & { key: string } {
  const key = keyMark + randomBytes(32).toString('base64url');
  return { key, prefix: key.slice(0, shownLength), hash: hashOf(key) };
}

const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest();
