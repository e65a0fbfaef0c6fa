import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { PersonalTokenRecord, PersonalTokenStore } from '@sluice/store/accounts/personal-tokens.ts';
import type { UserRecord, UserStore } from '@sluice/store/accounts/users.ts';
import { forbidden } from '../http/refusals.ts';
import type { Basis } from './feed.ts';

/** So that scanners of secrets find the tokens. */
export const personalMark = 'slp_';
const randomLength = 20;
const shape = /^slp_([0-9a-f]{40})([0-9a-f]{8})$/;

/** A personal token that is valid, and its user. */
export interface Grant
  extends Pick<PersonalTokenRecord, 'id' | 'name' | 'scopes' | 'applications' | 'expiresAt'> {
  user: UserRecord;
  /** The token and its user, as they were read. */
  basis: Basis;
}

/** Throws ApiError if the request came with a personal token that has not this scope. */
export function requireScope(grant: Grant | undefined, scope: Grant['scopes'][number]): void {
  if (grant && !grant.scopes.includes(scope))
    throw forbidden(`this token may ${grant.scopes.join(' and ')}; this needs the scope ${scope}`);
}

export type ReadGrant = ReturnType<typeof createReadGrant>;

const checksumOf = (text: string) => crc32(text).toString(16).padStart(8, '0');
const hashOf = (token: string) => createHash('sha256').update(token).digest();

/** A new token: 160 random bits, and a checksum by which scanners know it from other text. */
export function makePersonalToken(): { token: string; hash: Buffer } {
  const random = randomBytes(randomLength).toString('hex');
  const token = personalMark + random + checksumOf(random);
  return { token, hash: hashOf(token) };
}

/** Undefined for a token that is unknown, expired or revoked, and after a new password or while the user is disabled. */
export const createReadGrant =
  ({ users, personalTokens }: { users: Pick<UserStore, 'byId'>; personalTokens: PersonalTokenStore }) =>
  async (text: string): Promise<Grant | undefined> => {
    const [, random = '', checksum] = shape.exec(text) ?? [];
    if (checksum !== checksumOf(random)) return undefined;
    const found = await personalTokens.byHash(hashOf(text));
    const user = found && (await users.byId(found.userId));
    if (!user || user.tokenVersion !== found.version) return undefined;
    const basis = [[found.token.id, found.revision] as const, [user.id, user.revision] as const];
    return { ...found.token, user, basis };
  };
