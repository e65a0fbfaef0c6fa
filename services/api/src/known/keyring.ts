import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Store } from '@sluice/jobs/connect.ts';
import type { Rate } from '@sluice/shared/config/kinds.ts';
import { usedAgainMs } from '@sluice/store/accounts/personal-tokens.ts';
import type { KeyHash, MadeKey } from '@sluice/store/applications/keys.ts';
import { forbidden } from '../http/refusals.ts';
import type { CachedApplication } from './applications.ts';
import type { Feed } from './feed.ts';
import { createKeyUses } from './key-uses.ts';
import { createKnown } from './known.ts';
import { createReadGrant, type Grant, personalMark } from './personal-tokens.ts';

/** Distinguishes keys from other bearer tokens, also for secret scanners. */
export const keyMark = 'sk_';
const shownLength = keyMark.length + 8;
/** Applications, and tokens, of which keys are known. */
const most = 5_000;
/** Where no key is required, an unknown one is looked for once in this time. */
const lookEveryMs = 1_000;
const bearer = /^bearer +(.*)$/i;
/** Every JSON Web Token begins so: `{"` in Base64. */
const tokenStart = 'eyJ';

/** Who sent an upload: the id of an ingest key, or of a personal token and of its user. */
export interface Sent {
  id: string;
  user?: string | undefined;
  /** Of the key. */
  rate?: Rate | undefined;
  /** Of the sender of its single uploads, once one has come. */
  number?: number;
}

/** What is known of an ingest key. */
interface KnownKey extends Pick<KeyHash, 'hash' | 'expiresAt'> {
  sent: Sent;
  /** When its use was last noted. */
  usedAt: number;
}

interface KnownKeys {
  keys: KnownKey[];
  /** Those that were used, by their text: to hash a key takes 3 µs. */
  byText: Map<string, KnownKey>;
  /** When they were read for a key that is not there, as `performance.now()`. */
  missedAt: number;
}

type Admitting = Pick<CachedApplication, 'id' | 'domain' | 'keyRequired' | 'ownerIsDisabled' | 'editors'>;

export type Keyring = ReturnType<typeof createKeyring>;

/** The ingest keys of applications, and the personal tokens with which someone uploads. */
export function createKeyring(store: Pick<Store, 'keys' | 'users' | 'personalTokens'>, feed: Feed) {
  const readGrant = createReadGrant(store);
  const uses = createKeyUses(store.keys);
  const ingestKeys = createKnown<KnownKeys>(feed, most, async (application) => {
    const hashes = await store.keys.hashes(application);
    const basis = hashes.map(({ id, revision }) => [id, revision] as const);
    return {
      value: { keys: hashes.map(toKnown), byText: new Map(), missedAt: Number.NEGATIVE_INFINITY },
      basis,
      size: 1,
    };
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

  /** Also a key that has expired. */
  async function keyOf(
    { id, keyRequired }: Pick<Admitting, 'id' | 'keyRequired'>,
    text: string,
  ): Promise<KnownKey | undefined> {
    const known = ingestKeys.peek(id)?.byText.get(text);
    if (known) return known;
    const hash = hashOf(text);
    const findIn = (all: KnownKeys | undefined) => {
      const found = all && findHash(all.keys, hash);
      if (found) all.byText.set(text, found);
      return found;
    };
    const before = await ingestKeys.get(id);
    const found = findIn(before);
    if (found) return found;
    // A wrong key must not ask MongoDB at each upload that is taken all the same.
    if (!keyRequired && before && performance.now() - before.missedAt < lookEveryMs) return undefined;
    // The key may be newer than what is known.
    const now = await ingestKeys.again(id);
    const newer = findIn(now);
    if (now && !newer) now.missedAt = performance.now();
    return newer;
  }

  /** Undefined if the personal token does not allow uploads. */
  async function tokenFor({ domain, editors }: Admitting, token: string): Promise<Sent | undefined> {
    const grant = await grants.get(token);
    if (!grant?.scopes.includes('upload') || !editors.includes(grant.user.id)) return undefined;
    if (grant.applications?.includes(domain) === false) return undefined;
    return { id: grant.id, user: grant.user.id };
  }

  /** Undefined without a valid key or token. */
  async function find(application: Admitting, text: string): Promise<Sent | 'expired' | undefined> {
    if (text.startsWith(personalMark)) return tokenFor(application, text);
    const key = text.startsWith(keyMark) ? await keyOf(application, text) : undefined;
    if (!key) return undefined;
    const now = Date.now();
    if (key.expiresAt && key.expiresAt.getTime() <= now) return 'expired';
    if (now - key.usedAt > usedAgainMs) {
      key.usedAt = now;
      uses.note(key.sent.id);
    }
    return key.sent;
  }

  return {
    /**
     * Resolves with who sent an upload. Throws ApiError without a valid key or token where one is needed, and for an expired key; undefined where none
     * is needed. Rejects while MongoDB is away.
     */
    async admit(application: Admitting, headers: IncomingHttpHeaders): Promise<Sent | undefined> {
      const { domain, ownerIsDisabled } = application;
      if (ownerIsDisabled) throw forbidden(`the owner of ${domain} is disabled`);
      const text = sentKey(headers);
      const found = await find(application, text);
      if (typeof found === 'object') return found;
      // Where none is needed, an expired key would otherwise be rid of its rate.
      if (!found && !application.keyRequired) return undefined;
      const message = found ? expired(domain) : whyNot(domain, text);
      throw Object.assign(forbidden(message), { key: text === '' ? 'no_key' : 'wrong_key' });
    },

    /** The id of the ingest key of a request, as far as it is known without a question. */
    peek(application: string, headers: IncomingHttpHeaders): string | undefined {
      const text = sentKey(headers);
      const known = text.startsWith(keyMark) ? ingestKeys.last(application) : undefined;
      return known && findHash(known.keys, hashOf(text))?.sent.id;
    },

    /** Call when an ingest key has changed. */
    forget: ingestKeys.forget,
    close: uses.close,
  };
}

/** Whether an upload has to be admitted: it needs a key, or has one. */
export const mustBeAdmitted = (
  { keyRequired, ownerIsDisabled }: Pick<Admitting, 'keyRequired' | 'ownerIsDisabled'>,
  { 'x-api-key': key, authorization }: IncomingHttpHeaders,
): boolean => keyRequired || ownerIsDisabled || key !== undefined || authorization !== undefined;

function sentKey({ 'x-api-key': given, authorization = '' }: IncomingHttpHeaders): string {
  return String(given || (bearer.exec(authorization)?.[1] ?? ''));
}

const expired = (domain: string) =>
  `this ingest key of ${domain} has expired: an editor can give it another time with PATCH /api/applications/${domain}/keys/{id}`;

function toKnown({ id, hash, expiresAt, uploadRate, lastUsedAt }: KeyHash): KnownKey {
  const rate = uploadRate && { count: uploadRate.entries, durationMs: 1_000 * uploadRate.seconds };
  return { hash, expiresAt, sent: { id, rate }, usedAt: lastUsedAt?.getTime() ?? 0 };
}

/** Why something is no key of an application. */
function whyNot(domain: string, text: string): string {
  if (text.startsWith(personalMark))
    return `this personal token cannot upload to ${domain}: it needs the scope upload, and you the role of an editor`;
  if (text.startsWith(keyMark))
    return `this is not a valid ingest key of ${domain}: it may have been rotated or revoked`;
  const then = text.startsWith(tokenStart)
    ? `a login token is not one; create one with POST /api/applications/${domain}/keys`
    : `send it as X-Api-Key: ${keyMark}… or Authorization: Bearer ${keyMark}…`;
  return `an ingest key is required to upload to ${domain}: ${then}`;
}

/** Compares with every hash, so that the time does not tell which one matches. */
function findHash(keys: KnownKey[], hash: Buffer): KnownKey | undefined {
  let found: KnownKey | undefined;
  for (const each of keys) if (timingSafeEqual(each.hash, hash)) found = each;
  return found;
}

/** A new ingest key. Its prefix and its hash may be stored. */
export function makeKey(): MadeKey & { key: string } {
  const key = keyMark + randomBytes(32).toString('base64url');
  return { key, prefix: key.slice(0, shownLength), hash: hashOf(key) };
}

const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest();
