import { ApiError } from '@sluice/shared/errors.ts';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Routes } from '../../dependencies.ts';
import { Success, success } from '../../http/answers.ts';
import { answerError } from '../../http/envelope.ts';
import { notFound } from '../../http/refusals.ts';
import { operation, overRate, ownFailures, rateLimited } from '../../http/route-parts.ts';
import { Bool, Named, Query, Text } from '../../http/schemas.ts';
import { limitAddresses } from '../../limits/rate.ts';
import type { BrowserSessions } from '../browser-sessions.ts';
import { refuseOtherOrigins } from '../session-cookie.ts';
import { createEntrance } from './enter.ts';
import { type Flow, flowCookies, newFlow } from './flow-cookie.ts';
import { newChecks, type Provider } from './provider.ts';
import { type FailureReason, SignInFailure } from './sign-in-failure.ts';

const SignInProvider = Named('SignInProvider', {
  name: Text('Name of the provider.', 'Example Inc.'),
  url: Text('A browser opens it to sign in.', 'https://sluice.example/api/session/oidc'),
  only: Bool('Whether passwords are off, so that people sign in here alone.', false),
});

/** The path follows PUBLIC_URL, so it leads nowhere else. */
const ReturnTo = Query({
  return_to: Type.String({
    pattern: '^/([^/\\\\].*)?$',
    maxLength: 2_000,
    default: '/',
    description: 'Must be a path of the console, to open in the end.',
    examples: ['/applications'],
  }),
});

const Answer = Type.Partial(
  Type.Object({
    state: Text('As it was sent to the provider.'),
    code: Text('What the provider gives for one sign-in.'),
  }),
);

const redirect = (description: string) => ({
  303: { description, type: 'null', headers: { Location: Text('Where the browser goes on.') } },
});

const isOfBrowser = ({ headers }: FastifyRequest) => headers.accept?.includes('text/html');

function reasonOf(error: FastifyError): FailureReason {
  if (error instanceof SignInFailure) return error.reason;
  return error.validation ? 'expired' : 'unavailable';
}

interface More {
  sessions: BrowserSessions;
  provider: Provider | undefined;
}

/** How a browser signs in through an OpenID provider: code flow with PKCE, state and nonce. */
export const oidcRoutes: Routes<More> = async (app, given) => {
  const { config, counters, store, log, sessions } = given;
  const { users, usedStates } = store;
  const { publicUrl = '', oidc } = config;
  const cookies = flowCookies(config.jwt.secrets, publicUrl.startsWith('https:'));
  const entrance = createEntrance(given);
  const limited = limitAddresses(counters, config.loginRate, 'logins');

  function provider(): Provider {
    if (given.provider) return given.provider;
    throw notFound('sign-in provider', 'of OIDC_ISSUER');
  }

  /** Where the provider asks who it is. The answer gets the cookie. */
  async function begin(request: FastifyRequest, reply: FastifyReply, returnTo: string, isLink: boolean) {
    const to = provider();
    const open = await (isLink ? sessions.need(request) : sessions.read(request));
    const session = open && { user: open.user.id, id: open.session.id, version: open.user.tokenVersion };
    const checks = newChecks();
    const url = await to.begin(checks, isLink);
    reply.header('set-cookie', cookies.of(newFlow({ ...checks, returnTo, session, isLink })));
    return url;
  }

  /** The sign-in of this browser that has this state. Each comes back once. */
  async function take(request: FastifyRequest, reply: FastifyReply, state?: string): Promise<Flow> {
    const flow = cookies.read(request.headers);
    if (!flow || flow.state !== state) throw new SignInFailure('expired');
    reply.header('set-cookie', cookies.cleared);
    if (!(await usedStates.use(flow.state, new Date(flow.until)))) throw new SignInFailure('expired');
    return flow;
  }

  // Who comes with a browser gets a page in place of JSON.
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    if (!config.console || !given.provider || !isOfBrowser(request))
      return answerError(error, request, reply);
    const isKnown = error instanceof ApiError || error.validation;
    if (!isKnown) log.warn({ event: 'sign-in.failed', id: request.id, err: error });
    return reply.redirect(`${publicUrl}/sign-in?failed=${reasonOf(error)}`, 303);
  });

  app.get(
    '/session/providers',
    operation('listSignInProviders', 'List providers for signing in', {
      description: 'The provider of `OIDC_ISSUER`, if there is one.',
      response: { 200: Success(Type.Array(SignInProvider)) },
    }),
    async (_request, reply) => {
      const url = `${publicUrl}/api/session/oidc`;
      return success(reply, oidc ? [{ name: oidc.name, url, only: !config.passwordLogin }] : []);
    },
  );

  app.get(
    '/session/oidc',
    {
      ...operation('beginSignIn', 'Sign in through a provider', {
        description: 'For browsers: leads to the provider, which leads back to Sluice.',
        querystring: ReturnTo,
        response: {
          ...redirect('To the provider. A cookie ties the sign-in to this browser for 10 minutes.'),
          ...ownFailures('ResourceNotFoundError'),
          ...overRate,
        },
      }),
      exposeHeadRoute: false,
      onRequest: limited,
    },
    async (request, reply) =>
      reply.redirect(await begin(request, reply, request.query.return_to ?? '/', false), 303),
  );

  app.post(
    '/session/oidc',
    {
      ...operation('linkSignIn', 'Sign in through a provider from now on', {
        description:
          'Needs the cookie of a session, from a page of the same origin. The browser opens `url`, where the user signs in. From then on that sign-in is for this user too.',
        security: [{ session: [] }],
        querystring: ReturnTo,
        response: {
          200: {
            ...Success(
              Named('SignInAddress', { url: Text('The page of the provider.', 'https://id.example/') }),
            ),
            ...rateLimited,
          },
          ...ownFailures('UnauthorizedRequestError', 'ForbiddenRequestError', 'ResourceNotFoundError'),
          ...overRate,
        },
      }),
      onRequest: [refuseOtherOrigins, ...limited],
    },
    async (request, reply) =>
      success(reply, { url: await begin(request, reply, request.query.return_to ?? '/', true) }),
  );

  app.get(
    '/session/oidc/callback',
    {
      ...operation('endSignIn', 'End a sign-in through a provider', {
        description: 'The provider leads browsers here. The answer has the cookie of a session.',
        querystring: Answer,
        response: {
          ...redirect('To the page that was asked for, or to the sign-in page with the reason of a failure.'),
          ...ownFailures(
            'ForbiddenRequestError',
            'RegistrationClosedError',
            'ResourceNotFoundError',
            'ResourceConflictError',
          ),
        },
      }),
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const from = provider();
      const { session, isLink, returnTo, ...checks } = await take(request, reply, request.query.state);
      const { searchParams } = new URL(request.raw.url as string, publicUrl);
      const person = await from.identify(searchParams, checks);
      if (isLink && session) await entrance.link(request, person, session);
      else {
        const user = await entrance.enter(request, person);
        await sessions.open(request, reply, user, 'oidc');
        // The browser does not send its cookie with a request from another site.
        if (session) await users.endSession(session.user, session.id);
      }
      return reply.redirect(new URL(publicUrl + returnTo).href, 303);
    },
  );
};
