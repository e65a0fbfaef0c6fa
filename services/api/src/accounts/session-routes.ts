import { randomUUID } from 'node:crypto';
import { ApiError } from '@sluice/shared/errors.ts';
import type { Session, UserRecord } from '@sluice/store/accounts/users.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Routes } from '../dependencies.ts';
import { Success, SuccessMessage, success } from '../http/answers.ts';
import { operation, overRate, ownFailures, rateLimited } from '../http/route-parts.ts';
import { Text } from '../http/schemas.ts';
import { limitAddresses } from '../limits/rate.ts';
import { Credentials, SessionToken } from './contract.ts';
import type { LogIn } from './log-in.ts';
import { clearedCookie, cookieIn, cookieOf, isOfOtherOrigin } from './session-cookie.ts';

const withCookie = (description: string) => ({ headers: { 'Set-Cookie': Text(description) } });

/** How a browser signs in once for all its tabs. Its cookie gets tokens, and is good for nothing else. */
export const sessionRoutes: Routes<{ logIn: LogIn }> = async (app, { store, counters, config, logIn }) => {
  const { users } = store;
  // Pages of another port are of the same site, so the browser sends them the cookie.
  app.addHook('onRequest', async ({ headers }) => {
    if (isOfOtherOrigin(headers))
      throw new ApiError('ForbiddenRequestError', 'only pages of this origin may use a session');
  });

  async function read({ headers }: FastifyRequest) {
    const cookie = cookieIn(headers);
    return cookie === undefined ? undefined : app.readCookie(cookie);
  }

  const send = (reply: FastifyReply, user: UserRecord, session: Session) =>
    success(reply, {
      token: app.issueToken(user, session),
      expires_at: session.expiresAt.toISOString(),
    });

  /** Ends the session of the request. */
  async function end(request: FastifyRequest): Promise<void> {
    const found = await read(request);
    if (found) await users.endSession(found.user.id, found.session.id);
  }

  app.post(
    '/session',
    {
      ...operation('openSession', 'Sign in a browser', {
        description:
          'Returns a token for the other routes, and a cookie that no script can read. Another tab gets its own token with the cookie.',
        body: Credentials,
        response: {
          200: {
            ...Success(SessionToken),
            headers: {
              ...rateLimited.headers,
              ...withCookie('`HttpOnly`, `SameSite=Strict`, for `/api/session` only.').headers,
            },
          },
          ...ownFailures('InvalidCredentialsError', 'ForbiddenRequestError'),
          ...overRate,
        },
      }),
      onRequest: limitAddresses(counters, config.loginRate, 'logins'),
    },
    async (request, reply) => {
      const user = await logIn(request, request.body);
      await end(request);
      const session = { id: randomUUID(), expiresAt: new Date(Date.now() + config.jwt.durationMs) };
      await users.beginSession(user.id, session);
      reply.header('set-cookie', cookieOf(request, app.issueCookie(user, session), session.expiresAt));
      return send(reply, user, session);
    },
  );

  app.post(
    '/session/renew',
    operation('renewSession', 'Get a token for another tab', {
      description:
        'Needs the cookie, from a page of the same origin. The session ends when it would have without this.',
      security: [{ session: [] }],
      response: {
        200: Success(SessionToken),
        ...ownFailures('UnauthorizedRequestError', 'ForbiddenRequestError'),
      },
    }),
    async (request, reply) => {
      const found = await read(request);
      if (found) return send(reply, found.user, found.session);
      throw new ApiError('UnauthorizedRequestError', 'no session is open in this browser: sign in', {
        headers: { 'www-authenticate': 'Bearer' },
      });
    },
  );

  app.delete(
    '/session',
    operation('closeSession', 'Sign out a browser', {
      description: 'Ends the tokens of all tabs.',
      security: [{ session: [] }, {}],
      response: {
        200: {
          ...SuccessMessage('Signed out, also if no session was open.', 'you are signed out'),
          ...withCookie('Removes the cookie.'),
        },
        ...ownFailures('ForbiddenRequestError'),
      },
    }),
    async (request, reply) => {
      await end(request);
      return success(reply.header('set-cookie', clearedCookie), { message: 'you are signed out' });
    },
  );
};
