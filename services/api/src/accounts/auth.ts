import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError, applicationNotFound } from '@sluice/shared/errors.ts';
import type { Session, UserRecord } from '@sluice/store/accounts/users.ts';
import type { Role } from '@sluice/store/applications/application-document.ts';
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { AppDependencies } from '../dependencies.ts';
import { forbidden } from '../http/refusals.ts';
import type { Basis } from '../known/feed.ts';
import { keyMark } from '../known/keyring.ts';
import { createReadGrant, type Grant, personalMark, requireScope } from '../known/personal-tokens.ts';
import { networkOf } from './session-origin.ts';
import { type Claims, createTokens } from './tokens.ts';

const bearerOf = ({ authorization = '' }: IncomingHttpHeaders): string =>
  /^bearer +(.*)$/i.exec(authorization)?.[1] ?? '';

/** Throws ApiError for what a personal token does not allow. */
function checkGrant(grant: Grant, { routeOptions, params }: FastifyRequest): void {
  const { role = 'reader', scope = role === 'reader' ? 'read' : 'write', isLoginOnly } = routeOptions.config;
  if (isLoginOnly) throw forbidden('a personal token cannot do this; log in and use that token');
  requireScope(grant, scope);
  const { applications } = grant;
  const { domain } = params as { domain?: string };
  if (applications === undefined || (domain && applications.includes(domain))) return;
  if (domain) throw applicationNotFound(domain);
  if (routeOptions.url !== '/api/applications' || scope !== 'read')
    throw forbidden('this token is for some applications only');
}

const headers = { 'www-authenticate': 'Bearer' };

const unauthorized = (reason: string, cause?: unknown) =>
  new ApiError('UnauthorizedRequestError', `a bearer token is required: ${reason}`, { headers, cause });

const reasons: Record<string, string> = {
  FST_JWT_NO_AUTHORIZATION_IN_HEADER: 'send it as Authorization: Bearer <token>',
  FST_JWT_BAD_REQUEST: 'send it as Authorization: Bearer <token>',
  FAST_JWT_EXPIRED: 'this one has expired, log in again',
};

const noKey = 'an ingest key can upload but not read; log in and use the token';

/** Whether a request has an ingest key in place of a token. */
export const isIngestKey = ({ authorization, 'x-api-key': key }: IncomingHttpHeaders): boolean | undefined =>
  authorization === undefined ? key !== undefined : authorization.split(' ').at(-1)?.startsWith(keyMark);

/** Of a token in a cookie, which is no bearer token. */
const cookieAudience = 'session';

/** A password change raises the version of a user's tokens, which ends earlier ones. */
export async function auth(
  app: FastifyInstance,
  { store, config }: Pick<AppDependencies, 'store' | 'config'>,
): Promise<void> {
  const tokens = await createTokens(app, config.jwt);
  const { users } = store;
  const readGrant = createReadGrant(store);
  app.decorateRequest('owner');
  app.decorateRequest('session');
  app.decorateRequest('grant');
  app.decorateRequest('via');
  app.decorateRequest('basis');
  app.decorateRequest('until');

  const claimsFor = ({ id, tokenVersion }: UserRecord, sid?: string) => ({
    sub: id,
    ver: tokenVersion,
    jti: randomUUID(),
    ...(sid && { sid }),
  });

  /** Undefined after a new password, after the session has ended, and for a disabled user. */
  async function userOf({
    sub,
    ver,
    sid,
  }: Claims): Promise<{ user: UserRecord; session?: Session } | undefined> {
    const user = /^[0-9a-f]{24}$/.test(String(sub)) ? await users.byId(sub) : undefined;
    if (user?.tokenVersion !== ver) return undefined;
    if (sid === undefined) return { user };
    const session = user.sessions?.find(({ id }) => id === sid);
    return session && { user, session };
  }

  /** Whether it is required of this login. A session that OpenID Connect began has no password of Sluice. */
  const lacksSecondFactor = ({ secondFactor }: UserRecord, session?: Session): boolean =>
    config.secondFactor === 'required' && !secondFactor?.confirmedAt && session?.via !== 'oidc';

  app.decorate('lacksSecondFactor', lacksSecondFactor);

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
    const { user, session } = (await userOf(claims)) ?? {};
    return user && session && { user, session };
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

  async function byLogin(request: FastifyRequest): Promise<UserRecord> {
    const claims = verify(request);
    const found = await userOf(claims);
    if (!found) throw unauthorized('this one is no longer valid, log in again');
    const { user, session } = found;
    request.via = session?.via ?? 'password';
    if (lacksSecondFactor(user, session) && !request.routeOptions.config.needsNoSecondFactor)
      throw forbidden('this installation requires a second factor: set it up with /users/me/second-factor');
    if (session) await users.noteSeen(user.id, session, () => networkOf(request.ip));
    request.session = session;
    request.basis = [[user.id, user.revision]];
    request.until = claims.exp * 1_000;
    return user;
  }

  async function byPersonalToken(request: FastifyRequest, token: string): Promise<UserRecord> {
    const grant = await readGrant(token);
    if (!grant) throw unauthorized('this personal token is unknown, expired or revoked');
    checkGrant(grant, request);
    request.grant = grant;
    request.via = grant.id;
    request.basis = grant.basis;
    request.until = grant.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
    return grant.user;
  }

  app.decorate('authenticate', async (request: FastifyRequest) => {
    const token = bearerOf(request.headers);
    request.owner = token.startsWith(personalMark)
      ? await byPersonalToken(request, token)
      : await byLogin(request);
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
    /** Whether the user must set up a second factor before anything else. */
    lacksSecondFactor(user: UserRecord, session?: Session): boolean;
    authenticate: onRequestAsyncHookHandler;
  }
  interface FastifyContextConfig {
    /** What the user of a token needs to be in the application. */
    role?: Role;
    /** What a personal token needs: by default `read` for readers, else `write`. */
    scope?: 'read' | 'write';
    isLoginOnly?: boolean;
    /** Where a second factor is required, a login without one may do this too. */
    needsNoSecondFactor?: boolean;
  }
  interface FastifyRequest {
    /** The user whose token came with the request; set by `authenticate`. */
    owner: UserRecord;
    /** Of a browser, where its token came with the request. */
    session: Session | undefined;
    /** Of a personal token, where one came with the request. */
    grant: Grant | undefined;
    /** How its user signed in, or the id of a personal token; undefined where nobody did. */
    via: string | undefined;
    /** What the right of the token was read from. */
    basis: Basis;
    /** When the token expires, in ms since the epoch. */
    until: number;
  }
}
