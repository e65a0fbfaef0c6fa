import type { Session, UserRecord } from '@sluice/store/accounts/users.ts';
import type { FastifyReply } from 'fastify';
import type { Routes } from '../dependencies.ts';
import { Success, success } from '../http/answers.ts';
import { operation, overRate, ownFailures, rateLimited } from '../http/route-parts.ts';
import { Text } from '../http/schemas.ts';
import { limitAddresses } from '../limits/rate.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import { Credentials, SessionToken, SignedOut } from './contract.ts';
import type { LogIn } from './log-in.ts';
import type { Provider } from './oidc/provider.ts';
import { clearedCookie, refuseOtherOrigins } from './session-cookie.ts';

const withCookie = (description: string) => ({ headers: { 'Set-Cookie': Text(description) } });

interface More {
  logIn: LogIn;
  sessions: BrowserSessions;
  provider: Provider | undefined;
}

/** How a browser signs in once for all its tabs. Its cookie gets tokens, and is good for nothing else. */
export const sessionRoutes: Routes<More> = async (
  app,
  { audit, counters, config, logIn, sessions, provider },
) => {
  app.addHook('onRequest', refuseOtherOrigins);

  const send = (reply: FastifyReply, user: UserRecord, session: Session) =>
    success(reply, {
      token: app.issueToken(user, session),
      expires_at: session.expiresAt.toISOString(),
      ...(app.lacksSecondFactor(user, session) && { second_factor_missing: true }),
    });

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
          ...ownFailures('InvalidCredentialsError', 'SecondFactorRequiredError', 'ForbiddenRequestError'),
          ...overRate,
        },
      }),
      onRequest: limitAddresses(counters, config.loginRate, 'logins'),
    },
    async (request, reply) => {
      const user = await logIn(request, request.body);
      return send(reply, user, await sessions.open(request, reply, user, 'password'));
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
      const { user, session } = await sessions.need(request);
      return send(reply, user, session);
    },
  );

  app.delete(
    '/session',
    operation('closeSession', 'Sign out a browser', {
      description: 'Ends the tokens of all tabs.',
      security: [{ session: [] }, {}],
      response: {
        200: {
          ...Success(SignedOut, 'Signed out, also if no session was open.'),
          ...withCookie('Removes the cookie.'),
        },
        ...ownFailures('ForbiddenRequestError'),
      },
    }),
    async (request, reply) => {
      const ended = await sessions.end(request);
      if (ended) {
        const { user, session } = ended;
        await audit.note(request, { action: 'user.logged-out', via: session.via, user });
      }
      reply.header('set-cookie', clearedCookie);
      const url = ended?.session.via === 'oidc' ? await provider?.signOutUrl() : undefined;
      return success(reply, { message: 'you are signed out', ...(url && { url }) });
    },
  );
};
