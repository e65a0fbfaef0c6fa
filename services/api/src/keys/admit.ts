import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@sluice/shared/errors.ts';
import type { CachedApplication } from '../applications/cache.ts';
import type { Keyring } from './keyring.ts';
import { hashOf, keyMark } from './make-key.ts';

export type Admit = ReturnType<typeof createAdmit>;

const bearer = /^bearer +(.*)$/i;
/** The first letters of every JSON Web Token: `{"` in Base64. */
const tokenStart = 'eyJ';

/** What came in the place of an ingest key. */
function sentKey({ 'x-api-key': given, authorization = '' }: IncomingHttpHeaders): string {
  return String(given || (bearer.exec(authorization)?.[1] ?? ''));
}

type Admitting = Pick<CachedApplication, 'id' | 'domain' | 'keyRequired' | 'ownerIsDisabled'>;

/** Whether `admit` has to look at an upload. */
export const isRestricted = ({ keyRequired, ownerIsDisabled }: Admitting): boolean =>
  keyRequired || ownerIsDisabled;

/** Lets uploads pass that have a key of the application; resolves with the id of the key. Only for applications that are restricted. Throws ApiError. */
export function createAdmit(keyring: Keyring) {
  return async function admit(
    { id, domain, ownerIsDisabled }: Admitting,
    headers: IncomingHttpHeaders,
  ): Promise<string> {
    if (ownerIsDisabled) throw forbidden(`the owner of ${domain} is disabled`);
    const key = sentKey(headers);
    if (!key.startsWith(keyMark)) {
      const then = key.startsWith(tokenStart)
        ? `a login token is not one; create one with POST /api/applications/${domain}/keys`
        : `send it as X-Api-Key: ${keyMark}… or Authorization: Bearer ${keyMark}…`;
      throw forbidden(`an ingest key is required to upload to ${domain}: ${then}`);
    }
    const found = await keyring.idOf(id, hashOf(key));
    if (found === undefined)
      throw forbidden(`this is not a valid ingest key of ${domain}: it may have been rotated or revoked`);
    return found;
  };
}

const forbidden = (message: string) => new ApiError('ForbiddenRequestError', message);
