import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@sluice/shared/errors.ts';
import type { Session, UserRecord } from '@sluice/store/accounts/users.ts';
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { AppDependencies } from '../dependencies.ts';
import { keyMark } from '../keys/keyring.ts';
import { type Claims, createTokens } from './tokens.ts';

const headers = { 'www-authenticate': 'Bearer' };

const unauthorized = (reason: string, cause?: unknown) =>
  new ApiError('UnauthorizedRequestError', `a bearer token is required: ${reason}`, { headers, cause });

const reasons: Record<string, string> = {
  FST_JWT_NO_AUTHORIZATION_IN_HEADER: 'send it as Authorization: Bearer <token>',
  FST_JWT_BAD_REQUEST: 'send it as Authorization: Bearer <token>',
  FAST_JWT_EXPIRED: 'this one has expired, log in again',
};

const noKey = 'an ingest key can upload but not read; log in and use the token';

const isIngestKey = ({ authorization, 'x-api-key': key }: IncomingHttpHeaders) =>
  authorization === undefined ? key !== undefined : authorization.split(' ').at(-1)?.startsWith(keyMark);

/** Of a token in a cookie, which is no bearer token. */
const cookieAudience = 'session';

/** A password change raises the version of a user's tokens, which ends earlier ones. */
export async function auth(
  app: FastifyInstance,
  { store: { users }, config }: Pick<AppDependencies, 'store' | 'config'>,
): Promise<void> {
  const tokens = await createTokens(app, config.jwt);
  app.decorateRequest('owner');

  const claimsFor = ({ id, tokenVersion }: UserRecord, sid?: string) => ({
    ...{ sub: id, ver: tokenVersion, jti: randomUUID() },
    ...(sid && { sid }),
  });

  /** Undefined after a new password, after the session has ended, and for a disabled user. */
  async function userOf({ sub, ver, sid }: Claims): Promise<UserRecord | undefined> {
    const user = /^[0-9a-f]{24}$/.test(String(sub)) ? await users.byId(sub) : undefined;
    const isOpen = sid === undefined || user?.sessions?.some(({ id }) => id === sid);
    return user?.tokenVersion === ver && isOpen ? user : undefined;
  }

  app.decorate('issueToken', (user: UserRecord, session?: Session) =>
    tokens.sign(claimsFor(user, session?.id), session?.expiresAt),
  );

  app.decorate('issueCookie', (user: UserRecord, { id, expiresAt }: Session) =>
    tokens.sign({ ...claimsFor(user, id), aud: cookieAudience }, expiresAt),
  );

  app.decorate('readCookie', async (cookie: string) => {
    let claims: Claims;
    try {
      claims = tokens.verify(cookie, cookieAudience);
    } catch {
      return undefined;
    }
    const { sid, exp } = claims;
    const user = sid && (await userOf(claims));
    return user ? { user, session: { id: sid, expiresAt: new Date(exp * 1_000) } } : undefined;
  });

  function verify(request: FastifyRequest): Claims {
    try {
      return tokens.verify(tokens.lookup(request));
    } catch (error) {
      const { code = '' } = error as { code?: string };
      const reason = isIngestKey(request.headers) ? noKey : reasons[code];
      throw unauthorized(reason ?? 'this one is not valid', error);
    }
  }

  app.decorate('authenticate', async (request: FastifyRequest) => {
    const user = await userOf(verify(request));
    if (!user) throw unauthorized('this one is no longer valid, log in again');
    request.owner = user;
  });
}

declare module 'fastify' {
  interface FastifyInstance {
    /** With a session, the token ends with it. */
    issueToken(user: UserRecord, session?: Session): string;
    /** The value of a cookie that stands for the session. */
    issueCookie(user: UserRecord, session: Session): string;
    /** Undefined unless the cookie is of a session that has not ended. */
    readCookie(cookie: string): Promise<{ user: UserRecord; session: Session } | undefined>;
    authenticate: onRequestAsyncHookHandler;
  }
  interface FastifyRequest {
    /** The user whose token came with the request; set by `authenticate`. */
    owner: UserRecord;
  }
}
