import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@sluice/shared/errors.ts';
import type { FastifyRequest } from 'fastify';
import { cookieName } from '../http/openapi.ts';

const attributes = 'Path=/api/session; HttpOnly; SameSite=Strict';

/** Behind a proxy that Sluice does not trust, the browser's own `Origin` still tells of TLS. */
const isUnderTls = ({ protocol, headers }: Pick<FastifyRequest, 'protocol' | 'headers'>) =>
  protocol === 'https' || headers.origin?.startsWith('https://');

/** A `Set-Cookie` that lasts until `end`. */
export function cookieOf(
  request: FastifyRequest,
  value: string,
  end: Date,
  isSecure = isUnderTls(request),
): string {
  const seconds = Math.floor((end.getTime() - Date.now()) / 1_000);
  return `${cookieName}=${value}; Max-Age=${seconds}; ${attributes}${isSecure ? '; Secure' : ''}`;
}

export const clearedCookie = `${cookieName}=; Max-Age=0; ${attributes}`;

export const cookieIn = ({ cookie = '' }: IncomingHttpHeaders, name = cookieName): string | undefined =>
  cookie
    .split('; ')
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);

/** A hook for routes that use the cookie. Pages of another port are of the same site, so browsers send the cookie for them too. */
export async function refuseOtherOrigins({ headers }: FastifyRequest): Promise<void> {
  if (isOfOtherOrigin(headers))
    throw new ApiError('ForbiddenRequestError', 'only pages of this origin may use a session');
}

/**
 * Whether a page of another origin sent the request. Browsers send `Sec-Fetch-Site` under TLS and from localhost, and
 * `Origin` everywhere. A request with neither is not from a page.
 */
function isOfOtherOrigin({ 'sec-fetch-site': site, origin, host }: IncomingHttpHeaders): boolean {
  if (site !== undefined) return site !== 'same-origin';
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host;
}
