import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Store } from '@sluice/jobs/connect.ts';
import { ApiError } from '@sluice/shared/errors.ts';
import { usedAgainMs } from '@sluice/store/accounts/personal-tokens.ts';
import type { KeyHash, MadeKey } from '@sluice/store/applications/keys.ts';
import type { CachedApplication } from './applications.ts';
import type { Feed } from './feed.ts';
import { createKnown } from './known.ts';
import { createReadGrant, type Grant, personalMark } from './personal-tokens.ts';

/** Distinguishes keys from other bearer tokens, also for secret scanners. */
export const keyMark = 'sk_';
const shownLength = keyMark.length + 8;
/** Applications, and tokens, of which keys are known. */
const most = 5_000;
const bearer = /^bearer +(.*)$/i;
/** Every JSON Web Token begins so: `{"` in Base64. */
const tokenStart = 'eyJ';

type Admitting = Pick<CachedApplication, 'id' | 'domain' | 'ownerIsDisabled' | 'editors'>;

export type Keyring = ReturnType<typeof createKeyring>;

/** The ingest keys of applications, and the personal tokens with which someone uploads. */
export function createKeyring(store: Pick<Store, 'keys' | 'users' | 'personalTokens'>, feed: Feed) {
  const readGrant = createReadGrant(store);
  const ingestKeys = createKnown<KeyHash[]>(feed, most, async (application) => {
    const hashes = await store.keys.hashes(application);
    return { value: hashes, basis: hashes.map(({ id, revision }) => [id, revision] as const), size: 1 };
  });
  const grants = createKnown<Grant>(feed, most, async (token) => {
    const grant = await readGrant(token);
    if (!grant) return undefined;
    const { basis, expiresAt } = grant;
    // Read again, so that its last use is noted.
    const lifeMs = Math.max(
      1,
      Math.min(usedAgainMs, (expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) - Date.now()),
    );
    return { value: grant, basis, size: 1, lifeMs };
  });

  async function idOf(application: string, hash: Buffer): Promise<string | undefined> {
    const known = find(await ingestKeys.get(application), hash);
    // The key may be newer than what is known.
    return known ?? find(await ingestKeys.again(application), hash);
  }

  /** The id of a personal token that allows uploads. */
  async function tokenFor({ domain, editors }: Admitting, token: string): Promise<string | undefined> {
    const grant = await grants.get(token);
    if (!grant?.scopes.includes('upload') || !editors.includes(grant.user.id)) return undefined;
    return grant.applications?.includes(domain) === false ? undefined : grant.id;
  }

  return {
    /** Resolves with the id of the sent ingest key. Throws ApiError without a valid one. Rejects while MongoDB is away. */
    async admit(application: Admitting, headers: IncomingHttpHeaders): Promise<string> {
      const { id, domain, ownerIsDisabled } = application;
      if (ownerIsDisabled) throw forbidden(`the owner of ${domain} is disabled`);
      const key = sentKey(headers);
      if (key.startsWith(personalMark)) {
        const token = await tokenFor(application, key);
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

    /** Call when an ingest key has changed. */
    forget: ingestKeys.forget,
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
