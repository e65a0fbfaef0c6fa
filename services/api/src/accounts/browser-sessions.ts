import { randomUUID } from 'node:crypto';
import { ApiError } from '@sluice/shared/errors.ts';
import type { Session, UserRecord } from '@sluice/store/accounts/users.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../dependencies.ts';
import { cookieIn, cookieOf } from './session-cookie.ts';
import { browserOf, networkOf } from './session-origin.ts';

export type BrowserSessions = ReturnType<typeof browserSessions>;

/** How browsers begin and end their sessions, however their users sign in. */
export function browserSessions(
  app: FastifyInstance,
  { store: { users }, config }: Pick<Dependencies, 'store' | 'config'>,
) {
  /** The session of the cookie, and its user. Undefined unless it is open. */
  async function read({ headers }: FastifyRequest) {
    const cookie = cookieIn(headers);
    return cookie === undefined ? undefined : app.readCookie(cookie);
  }

  /** The same. Throws ApiError unless it is open. */
  async function need(request: FastifyRequest) {
    const found = await read(request);
    if (found) return found;
    throw new ApiError('UnauthorizedRequestError', 'no session is open in this browser: sign in', {
      headers: { 'www-authenticate': 'Bearer' },
    });
  }

  /** Returns the session that has ended, and its user. */
  async function end(request: FastifyRequest) {
    const found = await read(request);
    if (found) await users.endSession(found.user.id, found.session.id);
    return found;
  }

  return {
    read,
    need,
    end,

    /** Signs in the user in place of whoever was signed in with this browser. The answer gets the cookie. */
    async open(
      request: FastifyRequest,
      reply: FastifyReply,
      user: UserRecord,
      via: Session['via'],
    ): Promise<Session> {
      await end(request);
      const since = new Date();
      const session = {
        id: randomUUID(),
        via,
        expiresAt: new Date(since.getTime() + config.jwt.durationMs),
        browser: browserOf(request.headers['user-agent']),
        network: networkOf(request.ip),
        since,
        lastSeen: since,
      };
      await users.beginSession(user.id, session);
      // A provider leads back to PUBLIC_URL.
      const isSecure = via === 'oidc' ? config.publicUrl?.startsWith('https:') : undefined;
      const cookie = cookieOf(request, app.issueCookie(user, session), session.expiresAt, isSecure);
      reply.header('set-cookie', cookie);
      return session;
    },
  };
}
